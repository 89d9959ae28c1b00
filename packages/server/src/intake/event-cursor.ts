import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  hkdfSync,
} from "node:crypto"

/** Up to where an owner's events were read. */
export interface Position {
  readonly seq: number
  /** When nothing before it was left unread, in epoch milliseconds; kept by the minute. */
  readonly atMs: number
}

/**
 * Positions as texts that say nothing. Events of all tenants are numbered together, so a number
 * would tell each of them how much the others do.
 */
export interface Cursors {
  textOf(position: Position, owner: number | null): string
  /** null for what is no cursor of this owner. */
  read(text: string, owner: number | null): Position | null
}

const PREFIX = "cur_"
const BYTES = 16
const MINUTE_MS = 60_000
/** Of the service itself. Tenants are numbered from 1. */
const SERVICE = 0

export function openCursors(subkey: Uint8Array): Cursors {
  const key = Buffer.from(
    hkdfSync("sha256", subkey, new Uint8Array(0), "assay/v1/cursor of events", 32),
  )
  // A cursor is one block, and equal positions may look equal: so a cipher without a mode will do.
  const once = (cipher: Cipheriv | Decipheriv, block: Buffer): Buffer => {
    cipher.setAutoPadding(false)
    return Buffer.concat([cipher.update(block), cipher.final()])
  }

  return {
    textOf({ seq, atMs }, owner) {
      const block = Buffer.alloc(BYTES)
      block.writeUIntBE(seq, 0, 6)
      block.writeUInt32BE(Math.floor(atMs / MINUTE_MS), 6)
      block.writeUIntBE(owner ?? SERVICE, 10, 6)
      const text = once(createCipheriv("aes-256-ecb", key, null), block).toString("base64url")
      return `${PREFIX}${text}`
    },
    read(text, owner) {
      const sealed = Buffer.from(text.slice(PREFIX.length), "base64url")
      if (sealed.length !== BYTES) return null
      const block = once(createDecipheriv("aes-256-ecb", key, null), sealed)
      // 48 bits that nobody can aim at: one that was made up is of no owner.
      if (block.readUIntBE(10, 6) !== (owner ?? SERVICE)) return null
      return { seq: block.readUIntBE(0, 6), atMs: block.readUInt32BE(6) * MINUTE_MS }
    },
  }
}
