import {
  type CodeFault,
  codeNumbers,
  codeWords,
  mailboxTag,
  readCode,
  type Suite,
  threadKeys,
  type ThreadAddress,
  type ThreadKeys,
  verifierOf,
  WITHDRAWABLE,
  withdrawToken,
  WORD_LANGUAGES,
  type WordList,
} from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { wordLanguage } from "../pages/code-language.ts"
import type { DropFacts, Locale, ShownCode } from "../pages/page-input.ts"

/** What a code opens on this drop. */
export interface Thread {
  readonly secret: Uint8Array
  readonly keys: ThreadKeys
  /** What replies to it are stored under. */
  readonly tag: Uint8Array
  readonly deleteVerifier: Uint8Array
}

export async function threadOf(
  secret: Uint8Array,
  { dropId, suite }: { readonly dropId: string; readonly suite: Suite },
): Promise<Thread> {
  const keys = await threadKeys(secret, Buffer.from(dropId, "hex"), suite)
  return {
    secret,
    keys,
    tag: mailboxTag(keys.mailbox),
    deleteVerifier: verifierOf(keys.deleteToken),
  }
}

/** What a recipient needs to answer message `n` of a visit. */
export function addressOf({ keys, deleteVerifier }: Thread, n: number | null): ThreadAddress {
  return {
    mailbox: Buffer.from(keys.mailbox).toString("hex"),
    reply_to: keys.replyTo,
    ...(keys.replyToPq === undefined ? {} : { reply_to_pq: keys.replyToPq }),
    delete_verifier: Buffer.from(deleteVerifier).toString("hex"),
    n,
  }
}

/** What message `n` of a visit is withdrawn by. */
export function withdrawVerifier(secret: Uint8Array, { dropId }: DropFacts, n: number): Uint8Array {
  return verifierOf(withdrawToken(secret, Buffer.from(dropId, "hex"), n))
}

/** Of every message of a visit that can be withdrawn. */
export function withdrawVerifiers(secret: Uint8Array, facts: DropFacts): Uint8Array[] {
  return Array.from({ length: WITHDRAWABLE }, (_, n) => withdrawVerifier(secret, facts, n))
}

/** Reads a code in the words of any language, those of the page first. */
export async function readTypedCode(
  text: string,
  locale: Locale,
): Promise<{ readonly secret: Uint8Array } | CodeFault> {
  return readCode(text, await allWords(locale))
}

/** Whether a person with this code on paper typed its words 4 and 9, in either form of the code. */
export async function knowsWords(
  secret: Uint8Array,
  typed: { readonly word4: string; readonly word9: string },
  locale: Locale,
): Promise<boolean> {
  // The code is read again with the typed words in place, so that this check accepts the same
  // spellings as a code field.
  const parts = codeNumbers(secret)
  parts[3] = typed.word4
  parts[8] = typed.word9
  const read = readCode(parts.join(" "), await allWords(locale))
  return "secret" in read && Buffer.from(read.secret).equals(secret)
}

export async function shownCode(secret: Uint8Array, locale: Locale): Promise<ShownCode> {
  const list = await loadWords(wordLanguage(locale))
  return { words: codeWords(secret, list), numbers: codeNumbers(secret) }
}

async function allWords(locale: Locale): Promise<WordList[]> {
  const own = wordLanguage(locale)
  const others = WORD_LANGUAGES.filter((language) => language !== own)
  return await Promise.all([own, ...others].map(loadWords))
}
