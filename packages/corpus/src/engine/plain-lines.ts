import { parseEmail } from "@assay/core/identity"
import type { HashInput } from "./hash-input.ts"

/**
 * The hash inputs that plain lines are written into. The password begins after its subkey and the
 * identity's key.
 */
export interface PlainHashes {
  readonly form: HashInput
  readonly password: HashInput
  readonly passwordAt: number
}

interface Domain {
  readonly bytes: Uint8Array
  /**
   * An address with a plain name there is the mailbox's own form; `dots`: also one with dots in its
   * name.
   */
  readonly plain: boolean
  readonly dots: boolean
  /** Its number among the watched ones; -1 where nobody watches it. */
  readonly watched: number
}

const AT = 0x40
const DOT = 0x2e
const LOCAL_MAX = 64
const ADDRESS_MAX = 254
/** Longer ones may be hashes, and shorter ones the word for none. */
const PASSWORD_MIN = 5
const PASSWORD_MAX = 19
/** No real list has more domains than this; the bound keeps the memory for them small. */
const DOMAINS_MAX = 65_536

/** By byte: its lower case if a plain name or domain may contain it, else 0. */
const PLAIN = new Uint8Array(256)
for (const character of "abcdefghijklmnopqrstuvwxyz0123456789_") {
  PLAIN[character.charCodeAt(0)] = character.charCodeAt(0)
  PLAIN[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0)
}
const HYPHEN = 0x2d
const GRAPHIC_MIN = 0x21
const GRAPHIC_MAX = 0x7e

/**
 * Reads the lines that make up nearly all of a list without creating a string: a name of letters,
 * digits, dots and underscores, a domain already checked by the core, a password of 5 to 19 visible
 * characters. The address and the password are written directly into their hash inputs. Any other
 * line is declined and takes the general path.
 */
export class PlainLines {
  readonly #hashes: PlainHashes
  readonly #domains = new Map<number, Domain>()
  /** Where address and password end in their hash inputs, after `read` returned true. */
  formEnd = 0
  passwordEnd = 0
  /** Of the domain of the address, among the watched ones; -1 where nobody watches it. */
  watched = -1
  readonly #watchedOf: (domain: string) => number

  constructor(hashes: PlainHashes, watchedOf: (domain: string) => number) {
    this.#hashes = hashes
    this.#watchedOf = watchedOf
  }

  read(bytes: Uint8Array, from: number, to: number, delimiter: number): boolean {
    const { form, password, passwordAt } = this.#hashes
    const address = form.roomFor(ADDRESS_MAX)
    let out = 0
    let dots = false
    let before = DOT
    let at = from
    for (; at < to; at++) {
      const byte = bytes[at] as number
      if (byte === AT) break
      if (byte === DOT) {
        if (before === DOT) return false
        dots = true
        address[out++] = DOT
      } else {
        const lower = PLAIN[byte] as number
        if (lower === 0) return false
        address[out++] = lower
      }
      before = byte
      if (out > LOCAL_MAX) return false
    }
    if (at === to || before === DOT) return false
    address[out++] = AT
    const domainAt = out
    let hash = 0x811c_9dc5
    for (at++; at < to; at++) {
      const byte = bytes[at] as number
      if (byte === delimiter) break
      const lower = byte === DOT || byte === HYPHEN ? byte : (PLAIN[byte] as number)
      if (lower === 0 || out >= ADDRESS_MAX) return false
      address[out++] = lower
      hash = Math.imul(hash ^ lower, 0x0100_0193)
    }
    const length = to - at - 1
    if (at === to || length < PASSWORD_MIN || length > PASSWORD_MAX) return false
    const domain = this.#domain(hash, address, domainAt, out)
    if (domain === null || !domain.plain || (dots && !domain.dots)) return false
    const secret = password.roomFor(passwordAt + PASSWORD_MAX)
    let end = passwordAt
    for (at++; at < to; at++) {
      const byte = bytes[at] as number
      if (byte < GRAPHIC_MIN || byte > GRAPHIC_MAX) return false
      secret[end++] = byte
    }
    this.formEnd = out
    this.watched = domain.watched
    this.passwordEnd = end
    return true
  }

  /**
   * The core's answer about a domain, requested once per domain; null if two domains share a hash.
   */
  #domain(hash: number, address: Uint8Array, from: number, to: number): Domain | null {
    const known = this.#domains.get(hash)
    if (known !== undefined) return isSame(known.bytes, address, from, to) ? known : null
    if (this.#domains.size >= DOMAINS_MAX) this.#domains.clear()
    // A copy: slices of Node's own buffers change with them.
    const bytes = Uint8Array.from(address.subarray(from, to))
    const name = Buffer.from(bytes).toString("latin1")
    const domain = {
      bytes,
      plain: isOwnForm(`a1_@${name}`),
      dots: isOwnForm(`a.1@${name}`),
      watched: this.#watchedOf(name),
    }
    this.#domains.set(hash, domain)
    return domain
  }
}

/** Whether the core takes an address, as written, for the mailbox's own form. */
function isOwnForm(address: string): boolean {
  const parsed = parseEmail(address)
  return !("fault" in parsed) && parsed.exact === address && parsed.canonical === address
}

function isSame(known: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (known.length !== to - from) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[from + i]) return false
  return true
}
