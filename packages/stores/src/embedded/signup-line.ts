import { crc32 } from "node:zlib"
import { type ContextEvent, NAMES_BYTES } from "../counters.ts"

/**
 * The first line of a file: what it is, and its format. Another number is another way to read the
 * lines.
 */
export const HEADER = "assay context 1"

/**
 * One sign-up on one line: tenant, seconds since 1970, names in base64, and a checksum over these.
 */
export function signupLine({ tenantId, atSeconds, names }: ContextEvent): string {
  const text = `${tenantId} ${atSeconds} ${Buffer.from(names).toString("base64")}`
  return `${text} ${checksum(text)}`
}

const LINE = /^((\d{1,15}) (\d{1,10}) ([A-Za-z0-9+/]{128})) ([0-9a-f]{8})$/

/** The sign-up of a line, or null where the line is not one. */
export function readSignupLine(line: string): ContextEvent | null {
  const [, text = "", tenantId, atSeconds, names = "", sum] = LINE.exec(line) ?? []
  if (sum === undefined || sum !== checksum(text)) return null
  const bytes = Buffer.from(names, "base64")
  if (bytes.length !== 2 * NAMES_BYTES) return null
  return {
    tenantId: Number(tenantId),
    atSeconds: Number(atSeconds),
    isRecorded: true,
    names: bytes,
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0")
}
