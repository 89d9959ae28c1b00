import {
  aliasTag,
  HASH_START_BYTES,
  hashStart,
  IDENTITY_TAGS,
  type IdentityKey,
  parseEmail,
  parsePhone,
} from "@assay/core/identity"
import { type Secrets, sha256 } from "@assay/runtime/secrets"
import type { EntryKind, SecretClass } from "@assay/stores/exposure-index"
import { plainEntry } from "@assay/stores/entry"
import { rowOfEntry } from "@assay/stores/segment-block"
import type { ParsedRow, RejectReason, RowSink } from "../formats/parsed-row.ts"
import { secretClassOf } from "../formats/secret-class.ts"
import { HashInput } from "./hash-input.ts"
import { DOMAIN_MARK, FrameWriter, type KeyedColumns } from "./keyed-rows.ts"
import { PlainLines } from "./plain-lines.ts"

/** Defaults for every row that does not give its own value, and bounds for those that do. */
export interface KeyerOptions {
  readonly subkeys: Pick<Secrets["subkeys"], "identity" | "alias" | "password">
  readonly kind: EntryKind
  readonly hours: number
  /** The latest hour a row may be dated: a day ahead of now. */
  readonly latestHours: number
  /** Domains that somebody watches: identities there are marked, so that they can be counted. */
  readonly domains?: readonly string[]
}

/** 1 January 1990: nothing that is imported can be older. */
export const EARLIEST_HOURS = Date.UTC(1990, 0, 1) / 3_600_000
const DAY_HOURS = 24
/** The position of the tag in the start of a hash: after the subkey. */
const TAG_AT = 32
const DIGEST_BYTES = 32
const KEY_BYTES = 16
/** The password follows the start and the identity's key. */
const PASSWORD_AT = HASH_START_BYTES + KEY_BYTES
const HAS_FINGERPRINT = 0x8000
const BATCH_ANY = 1

/**
 * Turns parsed rows into keyed rows: the last place an identity or a secret is seen. Identities
 * become the keys that the core gives them, by the same hash of the same bytes; a test compares the
 * two.
 */
export class Keyer implements RowSink {
  readonly #options: KeyerOptions
  #kind: EntryKind
  #hours: number
  readonly #frame = new FrameWriter()
  readonly #onFrame: (frame: Buffer) => void
  readonly #onReject: (line: number, reason: RejectReason) => void
  /** A canonical form, hashed without a key first. */
  readonly #form = new HashInput(new Uint8Array(0))
  /** The subkeys stay; the bytes after them are rewritten for every row. */
  readonly #identity: HashInput
  readonly #password: HashInput
  /** Made with the first block that may have plain lines: most formats have none. */
  #plain: PlainLines | null = null
  readonly #domains: ReadonlyMap<string, number>
  /** The first four bytes of plain entries, by the values they depend on. */
  readonly #heads = new Map<string, number>()
  /**
   * The last head used: rows of a file are mostly alike, and comparing three values costs less than
   * building a map key.
   */
  #last: { kind: EntryKind; secret: SecretClass; hours: number; high: number } | null = null
  /** Rows of one kind stand together, so they are counted apart only where the kind changes. */
  #counted: { kind: EntryKind; rows: number }
  #byKind = new Map<EntryKind, number>()
  #datedByRow = 0
  rows = 0

  constructor(
    options: KeyerOptions,
    onFrame: (frame: Buffer) => void,
    onReject: (line: number, reason: RejectReason) => void,
  ) {
    this.#options = options
    this.#kind = options.kind
    this.#hours = options.hours
    this.#counted = { kind: options.kind, rows: 0 }
    this.#onFrame = onFrame
    this.#onReject = onReject
    this.#identity = new HashInput(hashStart(options.subkeys.identity))
    this.#password = new HashInput(hashStart(options.subkeys.password))
    this.#domains = new Map((options.domains ?? []).map((domain, place) => [domain, place]))
  }

  /** From here on this applies to rows that do not give their own value. */
  takeAs(kind: EntryKind, hours: number): void {
    this.#kind = kind
    this.#hours = hours
  }

  /** How many rows of each kind there were since the last call, and how many had their own date. */
  takeCounts(): { kinds: [EntryKind, number][]; datedByRow: number } {
    this.#countAs(this.#kind)
    const kinds = [...this.#byKind].filter(([, rows]) => rows > 0)
    const datedByRow = this.#datedByRow
    this.#byKind = new Map()
    this.#datedByRow = 0
    return { kinds, datedByRow }
  }

  reject(line: number, reason: RejectReason): void {
    this.#onReject(line, reason)
  }

  row(line: number, row: ParsedRow): void {
    const hours = row.hours ?? this.#hours
    if (hours < EARLIEST_HOURS || hours > this.#options.latestHours) {
      this.#onReject(line, "date-out-of-range")
      return
    }
    if (row.identityType === "email") this.#email(line, row, hours)
    else this.#phone(line, row, hours)
  }

  plainLines(
    block: Buffer,
    delimiter: number,
    others: (plain: number, from: number, to: number) => void,
  ): number {
    const kind = this.#kind
    const hours = this.#hours
    const high = this.#head(kind, "plaintext", Math.floor(hours / DAY_HOURS) * DAY_HOURS)
    if (high === null || hours < EARLIEST_HOURS || hours > this.#options.latestHours) {
      others(0, 0, block.length)
      return 0
    }
    let plain = 0
    this.#plain ??= new PlainLines(this.#options.subkeys, (name) => this.#domains.get(name) ?? -1)
    this.#plain.read(block, delimiter, high, {
      rows: (columns, from, to) => {
        plain += to - from
        this.#putAll(kind, columns, from, to)
      },
      watched: (key, domain) => this.#mark(key, domain),
      others: (from, to) => {
        others(plain, from, to)
        plain = 0
      },
    })
    return plain
  }

  /** Hands over the rest of the last frame. */
  flush(): void {
    if (!this.#frame.empty) this.#onFrame(this.#frame.take())
  }

  #email(line: number, row: ParsedRow, hours: number): void {
    const parsed = parseEmail(row.identity)
    if ("fault" in parsed) {
      this.#onReject(line, "not-an-email")
      return
    }
    const key = this.#keyOf(IDENTITY_TAGS.email, this.#form.hashWith(0, parsed.canonical))
    const alias =
      parsed.exact === parsed.canonical
        ? 0
        : aliasTag(sha256, this.#options.subkeys.alias, keyBytes(key), parsed)
    // E-mail evidence is dated by day.
    this.#add(key, row, Math.floor(hours / DAY_HOURS) * DAY_HOURS, alias)
    if (this.#domains.size === 0) return
    const { canonical } = parsed
    const watched = this.#domains.get(canonical.slice(canonical.lastIndexOf("@") + 1))
    if (watched !== undefined) this.#mark(key, watched)
  }

  #phone(line: number, row: ParsedRow, hours: number): void {
    const parsed = parsePhone(row.identity)
    if ("fault" in parsed) {
      this.#onReject(line, "not-a-phone")
      return
    }
    const key = this.#keyOf(IDENTITY_TAGS.phone, this.#form.hashWith(0, parsed.e164))
    this.#add(key, row, hours, 0)
  }

  #add(key: string, row: ParsedRow, hours: number, alias: number): void {
    const kind = row.kind ?? this.#kind
    if (row.hours !== null) this.#datedByRow++
    const secret = row.secretClass ?? secretClassOf(row.secret, row.secretIsHash)
    const fingerprint =
      secret === "plaintext" && row.secret !== null ? this.#fingerprint(key, row.secret) : null
    const plain =
      row.item === null && row.confidence === null && row.value === null && row.classes.length === 0
    if (plain) {
      const flags = fingerprint === null ? 0 : HAS_FINGERPRINT | fingerprint
      const high = this.#head(kind, secret, hours)
      if (high !== null) {
        this.#put(kind, key, high, ((flags << 16) | alias) >>> 0, null)
        return
      }
    }
    const { item, confidence, classes, value } = row
    const { head, extended } = rowOfEntry({
      kind,
      secret,
      hours,
      fingerprint,
      aliasTag: alias,
      batchId: BATCH_ANY,
      item,
      confidence,
      classes,
      value,
    })
    const view = Buffer.from(head.buffer, head.byteOffset, head.length)
    this.#put(kind, key, view.readUInt32BE(0), view.readUInt32BE(4), extended)
  }

  #put(kind: EntryKind, key: string, high: number, low: number, extended: Uint8Array | null): void {
    this.#frame.add(key, high, low, extended)
    this.rows++
    if (kind !== this.#counted.kind) this.#countAs(kind)
    this.#counted.rows++
    if (this.#frame.full) this.#onFrame(this.#frame.take())
  }

  #putAll(kind: EntryKind, columns: KeyedColumns, from: number, to: number): void {
    this.rows += to - from
    if (kind !== this.#counted.kind) this.#countAs(kind)
    this.#counted.rows += to - from
    for (let row = from; row < to;) {
      row = this.#frame.addRows(columns, row, to)
      if (this.#frame.full) this.#onFrame(this.#frame.take())
    }
  }

  /** Beside its own row, which it follows. */
  #mark(key: string, domain: number): void {
    this.#frame.add(key, DOMAIN_MARK, domain, null)
    if (this.#frame.full) this.#onFrame(this.#frame.take())
  }

  #countAs(next: EntryKind): void {
    const { kind, rows } = this.#counted
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + rows)
    this.#counted = { kind: next, rows: 0 }
  }

  /**
   * Kind, secret class and hours in stored form; null for a kind whose code stands in the extended
   * part.
   */
  #head(kind: EntryKind, secret: SecretClass, hours: number): number | null {
    const last = this.#last
    if (last?.kind === kind && last.secret === secret && last.hours === hours) {
      return last.high < 0 ? null : last.high
    }
    const name = `${kind} ${secret} ${hours}`
    const high = this.#heads.get(name) ?? headOf(kind, secret, hours)
    if (this.#heads.size >= HEADS_MAX) this.#heads.clear()
    this.#heads.set(name, high)
    this.#last = { kind, secret, hours, high }
    return high < 0 ? null : high
  }

  /**
   * The identity key as characters, one a byte, of the hash of a canonical form; the first 16 of
   * those given.
   */
  #keyOf(tag: number, form: string): string {
    this.#identity.setByte(TAG_AT, tag)
    this.#identity.setBytes(HASH_START_BYTES, form, DIGEST_BYTES)
    return this.#identity.hashOf(HASH_START_BYTES + DIGEST_BYTES)
  }

  #fingerprint(key: string, password: string): number {
    this.#password.setBytes(HASH_START_BYTES, key, KEY_BYTES)
    return fingerprintOf(this.#password.hashWith(PASSWORD_AT, password))
  }
}

/** The first 12 bits of a digest. */
function fingerprintOf(digest: string): number {
  return (digest.charCodeAt(0) << 4) | (digest.charCodeAt(1) >> 4)
}

/** A file of rows dated by the hour may name many hours; this bounds the memory for them. */
const HEADS_MAX = 10_000

function headOf(kind: EntryKind, secret: SecretClass, hours: number): number {
  const { head, extended } = rowOfEntry({ ...plainEntry(kind, hours, BATCH_ANY), secret })
  return extended === null ? Buffer.from(head.buffer, head.byteOffset).readUInt32BE(0) : -1
}

function keyBytes(key: string): IdentityKey {
  return Buffer.from(key.slice(0, KEY_BYTES), "latin1") as Uint8Array as IdentityKey
}
