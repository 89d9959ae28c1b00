import { createHmac, timingSafeEqual } from "node:crypto"

/** A row of the audit trail as it is stored, apart from its place in the chain. */
export interface AuditRow {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  /** JSON. */
  readonly detail: string
  readonly tenant_id: number | null
  readonly request_id: string | null
}

/** The end of the chain: the newest row and what proves all rows up to it. */
export interface AuditHead {
  readonly seq: number
  readonly mac: Uint8Array
}

/** A head as it was at a moment, written where the database cannot reach it. */
export interface SealedHead extends AuditHead {
  readonly at: number
  /** "restored": rows after this one were given up when a backup was put back. */
  readonly kind: "head" | "restored"
}

export const MAC_BYTES = 32

/** What the first row is chained to. */
export const CHAIN_START: AuditHead = { seq: 0, mac: new Uint8Array(MAC_BYTES) }

// Each begins differently, so that the proof of one can never be taken for that of the other.
const ROW = "assay/audit-row/1\n"
const HEAD = "assay/audit-head/1\n"

/**
 * What proves a row and its place: HMAC-SHA256 over the proof of the row before it and all of its
 * columns. JSON keeps the columns apart, whatever they contain.
 */
export function rowMac(key: Uint8Array, previous: Uint8Array, row: AuditRow): Uint8Array {
  const { id, at, actor, action, subject, detail, tenant_id, request_id } = row
  const columns = [id, at, actor, action, subject, detail, tenant_id, request_id]
  const hmac = createHmac("sha256", key).update(ROW).update(previous)
  return new Uint8Array(hmac.update(JSON.stringify(columns)).digest())
}

/** Proves that a head was written by somebody with the key, and when. */
export function headSeal(key: Uint8Array, { seq, mac, at, kind }: SealedHead): Uint8Array {
  const parts = [seq, Buffer.from(mac).toString("hex"), at, kind]
  return new Uint8Array(
    createHmac("sha256", key).update(HEAD).update(JSON.stringify(parts)).digest(),
  )
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The head as one row of `meta` holds it. */
export function headText({ seq, mac }: AuditHead): string {
  return `${seq}:${Buffer.from(mac).toString("hex")}`
}

/** Null where the text is no head. */
export function readHead(text: string): AuditHead | null {
  const [, seq, mac] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || mac === undefined) return null
  return { seq: Number(seq), mac: new Uint8Array(Buffer.from(mac, "hex")) }
}
