import type { WordLanguage, WordList } from "@assay/core/drop"
import { Failure } from "./failure.ts"
import type { PageData, Say } from "./page-data.ts"
import { fetchKeys, fetchWords } from "./requests.ts"
import type { DropKeys, Thread } from "./worker-calls.ts"
import type { WorkerClient } from "./worker-client.ts"

/** The paths of the word lists, and their integrity hashes. */
export type WordFiles = Readonly<
  Record<WordLanguage, { readonly path: string; readonly integrity: string }>
>

/** What the parts of one page share. Everything is gone with the page. */
export interface Visit {
  readonly data: PageData
  readonly say: Say
  readonly worker: WorkerClient
  /** The list codes are shown in. */
  readonly list: WordList
  /** Any list; fetched on first use. */
  words(language: WordLanguage): Promise<WordList>
  /**
   * The keys of the drop, once they are found to be those the page speaks of; fresh ones to seal
   * to.
   */
  keys(fresh?: "fresh"): Promise<DropKeys>
  /** The thread the next two-way message belongs to. */
  thread: OpenThread | null
}

/** A thread whose code is known in this visit. */
export interface OpenThread {
  readonly secret: Uint8Array
  /** The number of the next message; null from then on when none can be withdrawn any more. */
  next: number | null
}

/**
 * The thread as the next message carries it. No number is used twice, also not when sending failed:
 * it may have arrived.
 */
export function nextOf(thread: OpenThread, withdrawable: number): Thread {
  const n = thread.next
  if (n !== null) thread.next = n + 1 < withdrawable ? n + 1 : null
  return { secret: thread.secret, n }
}

/**
 * Returns the keys: fetched once, and again after a failure or on request. The server cannot see
 * which keys a message is sealed to, so a message sealed to a key that was removed while the person
 * wrote would be taken and never read.
 */
export function keysOf(
  { keys: path, fingerprint }: PageData,
  worker: WorkerClient,
  words: Visit["words"],
): Visit["keys"] {
  let found: Promise<DropKeys> | null = null
  const find = async (): Promise<DropKeys> => {
    const [text, english] = await Promise.all([fetchKeys(path), words("en")])
    const keys = await worker.call("keys", [text, english]).catch(() => {
      throw new Failure("failure-keys")
    })
    // The page was made for other keys, so a person who compared its six words would be misled.
    if (keys.fingerprint.join(" ") !== fingerprint.join(" "))
      throw new Failure("failure-keys-changed")
    return keys
  }
  return (fresh) => {
    if (fresh !== undefined) found = null
    found ??= find().catch((error: unknown) => {
      found = null
      throw error
    })
    return found
  }
}

/** A list of the build; the one inside the script is not fetched. */
export function listsOf(
  own: WordList,
  files: WordFiles,
): (language: WordLanguage) => Promise<WordList> {
  const lists = new Map<WordLanguage, Promise<WordList>>([[own.language, Promise.resolve(own)]])
  return (language) => {
    const known = lists.get(language)
    if (known !== undefined) return known
    const fetched = fetchWords(language, files[language]).catch((error: unknown) => {
      lists.delete(language)
      throw error
    })
    lists.set(language, fetched)
    return fetched
  }
}
