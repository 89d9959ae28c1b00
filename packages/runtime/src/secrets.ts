import { hash, hkdfSync, randomBytes } from "node:crypto"
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import {
  keyCheckValue,
  type Sha256,
  SUBKEY_NAMES,
  subkeyInfo,
  type SubkeyName,
} from "@assay/core/identity"
import { readIfPresent } from "./if-present.ts"
import { ownUser } from "./own-user.ts"
import { Explained } from "./explained.ts"

/**
 * Twice a request, so it matters that a digest read as text costs a fifth of one handed out as a
 * new buffer.
 */
export const sha256: Sha256 = (...parts) =>
  Buffer.from(hash("sha256", Buffer.concat(parts), "latin1"), "latin1")

/** The subkeys of one master secret. The master itself is not kept after they are derived. */
export interface Secrets {
  readonly subkeys: Readonly<Record<SubkeyName, Uint8Array>>
  /**
   * Stored beside everything that holds identity keys: data of another secret must be refused, not
   * read as CLEAN.
   */
  readonly checkValue: string
}

/**
 * Reads the master secret; at first start, where none exists and `mayCreate`, makes one that only
 * its owner can read.
 */
export function openSecrets(file: string, mayCreate: boolean): Secrets {
  const text = readSecret(file) ?? (mayCreate ? createSecret(file) : null)
  if (text === null) throw new Explained("secret", `The master secret ${file} does not exist`)
  refuseReadableByOthers(file)
  if (!/^[0-9a-f]{64}\s*$/i.test(text)) {
    throw new Explained(
      "secret",
      `The master secret ${file} must hold 64 hexadecimal digits (openssl rand -hex 32)`,
    )
  }
  return deriveSecrets(Buffer.from(text.trim(), "hex"))
}

export function deriveSecrets(master: Uint8Array): Secrets {
  const derive = (name: SubkeyName): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", master, new Uint8Array(0), subkeyInfo(name), 32))
  const subkeys = Object.fromEntries(SUBKEY_NAMES.map((name) => [name, derive(name)])) as Record<
    SubkeyName,
    Uint8Array
  >
  return { subkeys, checkValue: keyCheckValue(sha256, subkeys.identity) }
}

/**
 * A secret that others can read is no secret: with it, any identity can be tested against a copy of
 * the data. A group may read a file that is not ours, as secrets are mounted into containers: that
 * is how we read it.
 */
function refuseReadableByOthers(file: string): void {
  const { mode, uid } = statSync(file)
  const own = ownUser()
  if (own === null || (mode & (uid === own ? 0o077 : 0o007)) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, "0")
  throw new Explained(
    "secret",
    `The master secret ${file} can be read by others (mode ${shown}). Run: chmod 600 ${file}`,
  )
}

function readSecret(file: string): string | null {
  try {
    return readIfPresent(file)
  } catch (error) {
    throw new Explained("secret", `The master secret ${file} cannot be read`, { cause: error })
  }
}

/**
 * `wx` and fsync: a secret that was used once and then lost or overwritten would make every stored
 * key unreadable.
 */
function createSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const text = `${randomBytes(32).toString("hex")}\n`
  const handle = openSync(file, "wx", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  chmodSync(file, 0o600)
  return text
}
