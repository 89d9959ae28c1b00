import { randomBytes } from "node:crypto"

/** Names a key in lists, logs and usage; says nothing about the key itself. */
export function newKeyId(): string {
  return `key_${randomBytes(8).toString("hex")}`
}
