import { randomBytes } from "node:crypto"
import {
  allowedSizes,
  FILE_MAX,
  packMessage,
  readAgeHeader,
  type Recipients,
  RECIPIENTS_MAX,
  sealedSize,
  sealInPieces,
  SIZE_CLASSES,
} from "@assay/core/drop"
import { presealedPage, presealedSentPage } from "../pages/index.ts"
import { type Answer, CODE_PADDING } from "./answer.ts"
import { DRAINED_MAX, type FormLimits } from "./form-body.ts"
import { bodyFault, refusalFault, type StatusFault, storeFault, tokenFault } from "./form-faults.ts"
import { storeSealed } from "./store-sealed.ts"
import { usableToken, type Visit } from "./visit.ts"

const LARGEST_CLASS = SIZE_CLASSES.at(-1) ?? 0
/**
 * The first line of every binary age file. Armored ones are text that a mail program may have
 * changed.
 */
const AGE = Buffer.from("age-encryption.org/v1\n")

export const PRESEALED_LIMITS: FormLimits = {
  fileField: "sealed",
  filesMax: 1,
  fileMax: sealedSize(LARGEST_CLASS, RECIPIENTS_MAX, "pq"),
  drainedMax: DRAINED_MAX,
}

type Fault = Omit<StatusFault, "field">

/**
 * Takes a file that its sender sealed. A file in the form of a message is stored unchanged. Any
 * other age file goes unopened into an envelope, so that on the disk it looks like all the others.
 * A file that age did not seal is refused.
 */
export async function presealed(visit: Visit): Promise<Answer> {
  const { body, facts, locale, files } = visit
  const token = body.fields.get("token") ?? ""
  const broken = bodyFault(body)
  const sealed = body.files[0]?.bytes ?? null
  if (broken !== null) return await again(visit, broken)
  if (sealed === null || sealed.length === 0)
    return await again(visit, { text: "fault-presealed-missing", status: 422 })
  const message = isMessage(sealed, visit.recipients)
  if (!message && (!AGE.equals(sealed.subarray(0, AGE.length)) || sealed.length > FILE_MAX))
    return await again(visit, { text: "fault-presealed", status: 422 })

  const fault = await store(visit, token, sealed, message)
  if (fault !== null) return await again(visit, fault)
  const page = presealedSentPage(locale, facts, files, { wrapped: !message })
  return { status: 200, page, padding: CODE_PADDING }
}

/** Whether a file has the size and the header of a message. Only recipients can see its content. */
function isMessage(sealed: Uint8Array, { keys, suite }: Recipients): boolean {
  const header = readAgeHeader(sealed)
  return (
    allowedSizes(keys.length, suite).includes(sealed.length) &&
    header !== "incomplete" &&
    !("fault" in header) &&
    header.suite === suite &&
    header.stanzas === keys.length
  )
}

async function store(
  { drop, recipients, locale, address }: Visit,
  token: string,
  sealed: Uint8Array,
  message: boolean,
): Promise<Fault | null> {
  const outcome = await drop.spendFormToken(token)
  if (outcome !== "ok") return tokenFault(outcome)
  const envelope = message ? null : wrapped(sealed, locale)
  const { keys, suite } = recipients
  const size = envelope === null ? sealed.length : sealedSize(envelope.length, keys.length, suite)
  const small = size === sealedSize(SIZE_CLASSES[0] ?? 0, keys.length, suite)
  const refusal = await drop.admit(small ? "text" : "files", size, address)
  if (refusal !== null) return refusalFault(refusal, false)
  try {
    const pieces = envelope === null ? [sealed] : sealInPieces(envelope, recipients)
    await storeSealed(drop, pieces, randomBytes(32))
    return null
  } catch (error) {
    return storeFault(error)
  }
}

function wrapped(sealed: Uint8Array, lang: string): Uint8Array {
  return packMessage({
    sealedBy: "server",
    mode: "one-way",
    lang,
    message: "",
    files: [{ bytes: sealed, type: "application/age", extension: ".age", metadata: "unknown" }],
  })
}

async function again(visit: Visit, { status, text, values }: Fault): Promise<Answer> {
  const { locale, facts, files, body } = visit
  const token = await usableToken(visit.drop, body.fields.get("token"))
  const fault = { text, ...(values === undefined ? {} : { values }) }
  const page = presealedPage(locale, facts, files, { token, fault })
  return { status, page, padding: CODE_PADDING }
}
