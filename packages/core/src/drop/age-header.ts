import { RECIPIENTS_MAX, type Suite } from "./recipients.ts"

/** The content of a sealed file's header. It does not include the keys: age does not name them. */
export interface AgeHeader {
  readonly suite: Suite
  readonly stanzas: number
  /** Bytes up to and with the line of the MAC. */
  readonly length: number
}

export type AgeHeaderFault =
  /** Does not begin as a binary age file. */
  | "not-age"
  /** Something beside stanzas of the two suites: a passphrase, a tag, a plugin, random filling. */
  | "stanza"
  /** Stanzas of both suites: the file would be as weak as the weaker. */
  | "mixed"
  /** None, or more than there can be keys. */
  | "stanzas"
  | "malformed"

const VERSION = "age-encryption.org/v1\n"
/**
 * 32 bytes in base64 without padding; the two bits that are left over are zero, or something could
 * be carried in them.
 */
const HASH = "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]"
const BODY = new RegExp(`^${HASH}$`)
const MAC = new RegExp(`^--- ${HASH}$`)
/** The first line of a stanza; its length is fixed by the suite. */
const STANZA: Readonly<Record<Suite, RegExp>> = {
  x25519: new RegExp(`^-> X25519 ${HASH}$`),
  pq: /^-> mlkem768x25519 [A-Za-z0-9+/]{1493}[AQgw]$/,
}
const FIRST_LINE: Readonly<Record<Suite, number>> = {
  x25519: "-> X25519 ".length + 43,
  pq: "-> mlkem768x25519 ".length + 1494,
}
const SUITES: readonly Suite[] = ["x25519", "pq"]
const BODY_LINE = 43
/** One for each key, and the sender's own on a reply. */
const STANZAS_MAX = RECIPIENTS_MAX + 1

/** Bytes of a header with `stanzas` stanzas. */
export function headerSize(stanzas: number, suite: Suite): number {
  return VERSION.length + stanzas * (FIRST_LINE[suite] + 1 + BODY_LINE + 1) + "--- ".length + 44
}

/**
 * Reads the header of a sealed file, without any key. `incomplete`: more bytes are needed to
 * decide. Takes only what this project and stock age write, character for character, so that
 * nothing else can be carried in a header.
 */
export function readAgeHeader(
  bytes: Uint8Array,
): AgeHeader | "incomplete" | { readonly fault: AgeHeaderFault } {
  for (let i = 0; i < VERSION.length; i += 1) {
    if (bytes[i] === undefined) return "incomplete"
    if (bytes[i] !== VERSION.charCodeAt(i)) return { fault: "not-age" }
  }
  let at = VERSION.length
  let suite: Suite | null = null
  let stanzas = 0
  for (;;) {
    const first = lineAt(bytes, at)
    if (first === null) return "incomplete"
    if (first === undefined) return { fault: "malformed" }
    at += first.length + 1
    if (MAC.test(first)) {
      return suite === null ? { fault: "stanzas" } : { suite, stanzas, length: at }
    }
    if (!first.startsWith("-> ")) return { fault: "malformed" }
    const found = SUITES.find((name) => STANZA[name].test(first))
    if (found === undefined) return { fault: "stanza" }
    if (suite !== null && suite !== found) return { fault: "mixed" }
    suite = found
    stanzas += 1
    if (stanzas > STANZAS_MAX) return { fault: "stanzas" }
    const body = lineAt(bytes, at)
    if (body === null) return "incomplete"
    if (body === undefined || !BODY.test(body)) return { fault: "malformed" }
    at += body.length + 1
  }
}

/**
 * The line that begins here, without its end; null while its end is missing, undefined when it is
 * longer than any line can be.
 */
function lineAt(bytes: Uint8Array, start: number): string | null | undefined {
  const window = bytes.subarray(start, start + FIRST_LINE.pq + 1)
  const end = window.indexOf(0x0a)
  if (end === -1) return window.length > FIRST_LINE.pq ? undefined : null
  return String.fromCharCode(...window.subarray(0, end))
}
