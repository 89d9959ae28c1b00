import { randomBytes } from "node:crypto"
import {
  FILE_MAX,
  FILES_MAX,
  type FileToPack,
  MESSAGE_MAX,
  type Mode,
  newSecret,
  packMessage,
  sealedSize,
  sealInPieces,
} from "@assay/core/drop"
import { freshForm } from "../fresh-form.ts"
import { formPage, repliesShownPage, sentPage } from "../pages/index.ts"
import type { FormState } from "../pages/page-input.ts"
import { type Answer, CODE_PADDING, REPLIES_PADDING } from "./answer.ts"
import { filesToPack } from "./clean-files.ts"
import { DRAINED_MAX, type FormLimits } from "./form-body.ts"
import { bodyFault, refusalFault, type StatusFault, storeFault, tokenFault } from "./form-faults.ts"
import { openedReplies } from "./opened-replies.ts"
import { storeSealed } from "./store-sealed.ts"
import {
  addressOf,
  readTypedCode,
  shownCode,
  type Thread,
  threadOf,
  withdrawVerifier,
} from "./thread-of-code.ts"
import { usableToken, type Visit } from "./visit.ts"

export const SEND_LIMITS: FormLimits = {
  fileField: "files",
  filesMax: FILES_MAX,
  fileMax: FILE_MAX,
  drainedMax: DRAINED_MAX,
}

const FILE_NUMBERS = Array.from({ length: FILES_MAX }, (_, at) => at + 1)

/** The sender's choices, beside their files. */
interface Wish {
  readonly token: string
  readonly message: string
  readonly mode: Mode
  /** Numbers of the files to send unchanged. */
  readonly untouched: readonly number[]
  readonly keepNames: boolean
  /** The thread that is written to again; null: a new one. */
  readonly thread: Thread | null
}

/**
 * Takes a message: strips, packs, seals and stores it, or shows the form again with all that was
 * typed and why.
 */
export async function sendForm(visit: Visit): Promise<Answer> {
  const { facts, locale, body } = visit
  const { wish, faults } = await readWish(visit)
  if (faults.length > 0) return await formAgain(visit, wish, faults)

  const files = filesToPack(body.files, wish, locale)
  if ("faults" in files) return await formAgain(visit, wish, files.faults)

  const secret = newSecret()
  const first = wish.mode === "two-way" && wish.thread === null
  const thread = first ? await threadOf(secret, facts) : wish.thread
  const stored = await sealAndStore(visit, wish, files.packed, {
    thread: wish.mode === "two-way" ? thread : null,
    // Only the first message of a visit can be withdrawn: nothing here remembers which number
    // another would have, and a verifier that comes twice would join two messages.
    n: first ? 0 : null,
  })
  if (stored !== null) return await formAgain(visit, wish, [stored])

  const { notes } = files
  const sent = first
    ? {
        hidden: false as const,
        notes,
        kind: "two-way" as const,
        code: await shownCode(secret, locale),
        confirmWrong: false,
      }
    : {
        hidden: false as const,
        notes,
        kind: wish.thread === null ? ("one-way" as const) : ("follow-up" as const),
      }
  return {
    status: 200,
    page: sentPage(locale, facts, visit.files, sent),
    padding: CODE_PADDING,
  }
}

async function readWish(visit: Visit): Promise<{ wish: Wish; faults: StatusFault[] }> {
  const { body, drop, facts, locale } = visit
  const field = (name: string): string => body.fields.get(name) ?? ""
  const faults: StatusFault[] = []
  const broken = bodyFault(body)
  if (broken !== null) faults.push(broken)

  // A browser sends every line break of a text as two characters, which is not what the person
  // typed.
  const message = field("message").replaceAll("\r\n", "\n")
  if (Buffer.byteLength(message) > MESSAGE_MAX)
    faults.push({ field: "message", text: "fault-message-long", status: 413 })
  if (broken === null && message.trim() === "" && body.files.length === 0)
    faults.push({ field: "message", text: "fault-empty", status: 422 })

  const asked = field("mode")
  if (broken === null && !["", "one-way", "two-way"].includes(asked))
    faults.push({ field: "form", text: "fault-unreadable", status: 400 })
  if (broken === null && !(await drop.isRightAnswer(field("answer"))))
    faults.push({ field: "question", text: "fault-question", status: 422 })
  // People do not see this field, so a machine filled it in, or a browser that means well: the form
  // comes back with the field empty.
  if (field("website") !== "") faults.push(tokenFault("wrong"))
  if (!facts.filesTaken && body.files.length > 0) faults.push(refusalFault("full", true))

  let thread: Thread | null = null
  if (field("code") !== "") {
    const read = await readTypedCode(field("code"), locale)
    if ("secret" in read) thread = await threadOf(read.secret, facts)
    else faults.push({ field: "form", text: "fault-code", status: 422 })
  }
  const wish: Wish = {
    token: field("token"),
    message,
    // Never a thread against the sender's wish.
    mode: asked === "one-way" ? "one-way" : "two-way",
    untouched: FILE_NUMBERS.filter((number) => field(`untouched-${number}`) === "keep"),
    keepNames: field("names") === "keep",
    thread: asked === "one-way" ? null : thread,
  }
  return { wish, faults }
}

/** null: it is on the disk. */
async function sealAndStore(
  { drop, facts, recipients, locale, address }: Visit,
  { token, message, mode }: Wish,
  files: readonly FileToPack[],
  { thread, n }: { readonly thread: Thread | null; readonly n: number | null },
): Promise<StatusFault | null> {
  const envelope = packMessage({
    sealedBy: "server",
    mode,
    lang: locale,
    ...(thread === null ? {} : { thread: addressOf(thread, n) }),
    message,
    files,
  })
  // The token first: one form that is sent a thousand times must not use up what others may send.
  const outcome = await drop.spendFormToken(token)
  if (outcome !== "ok") return tokenFault(outcome)
  const { keys, suite } = recipients
  const size = sealedSize(envelope.length, keys.length, suite)
  const refusal = await drop.admit(files.length === 0 ? "text" : "files", size, address)
  if (refusal !== null) return refusalFault(refusal, files.length > 0)
  const verifier =
    thread === null || n === null ? randomBytes(32) : withdrawVerifier(thread.secret, facts, n)
  try {
    await storeSealed(drop, sealInPieces(envelope, recipients), verifier)
    return null
  } catch (error) {
    return storeFault(error)
  }
}

/** The page the form was on, with all that was typed. */
async function formAgain(
  visit: Visit,
  wish: Wish,
  faults: readonly StatusFault[],
): Promise<Answer> {
  const { locale, facts, files } = visit
  const token = await usableToken(visit.drop, wish.token)
  const form: FormState = { ...freshForm(token), ...wish, token, faults }
  const status = faults[0]?.status ?? 400
  if (wish.thread === null) {
    return { status, page: formPage(locale, facts, files, form), padding: CODE_PADDING }
  }
  const { code, replies } = await openedReplies(visit, wish.thread)
  return {
    status,
    page: repliesShownPage(locale, facts, files, { replies, code, form }),
    padding: REPLIES_PADDING,
  }
}
