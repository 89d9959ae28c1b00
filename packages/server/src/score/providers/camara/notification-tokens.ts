import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { settingsFault } from "../../../settings/settings-file.ts"
import type { CarrierSettings } from "./camara-settings.ts"

/**
 * The token of a carrier, as a digest: all have one length, and a memory dump does not reveal them.
 */
export interface NotificationToken {
  readonly carrier: string
  readonly hash: Uint8Array
}

/** A token that can be guessed would let anybody mark anybody's number. */
const TOKEN = /^[\x21-\x7e]{20,1024}$/

/**
 * The tokens of the carriers that have one. Throws `settingsFault` for one that cannot be
 * used.
 */
export function readNotificationTokens(carriers: readonly CarrierSettings[]): NotificationToken[] {
  const tokens: NotificationToken[] = []
  for (const [at, { name, notification_token_file: file }] of carriers.entries()) {
    if (file === undefined) continue
    const token = readFileSync(file, "utf8").trim()
    if (!TOKEN.test(token)) {
      throw settingsFault(
        `at /camara/${at}/notification_token_file: names a file that does not hold one token of 20 to 1024 printable characters`,
      )
    }
    const hash = tokenHash(token)
    if (tokens.some((other) => hash.equals(other.hash)))
      throw settingsFault("at /camara: two carriers have the same notification token")
    tokens.push({ carrier: name, hash })
  }
  return tokens
}

export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}
