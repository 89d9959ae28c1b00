import {
  armor,
  Decrypter,
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from "age-encryption"
import type { Suite } from "./recipients.ts"

const faults = {
  "passphrase-needed": "The identity file is locked with a passphrase",
  "passphrase-wrong": "The passphrase is not that of the identity file",
  unreadable: "This is no identity file of age",
  empty: "The identity file holds no secret key",
} as const

/** An identity file that cannot be used. The message never quotes the file. */
export class IdentityFault extends Error {
  override readonly name = "IdentityFault"
  readonly code: keyof typeof faults
  constructor(code: keyof typeof faults) {
    super(faults[code])
    this.code = code
  }
}

const BINARY = "age-encryption.org/v1\n"
const ARMORED = "-----BEGIN AGE ENCRYPTED FILE-----"

/**
 * Reads the secret keys of an identity file as `age-keygen` writes it, plain or locked by `age -p`,
 * armored or not.
 */
export async function readIdentities(
  file: string | Uint8Array,
  passphrase?: string,
): Promise<string[]> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file
  const sealed = sealedPart(bytes)
  if (sealed === null) return await identitiesOf(bytes)
  if (passphrase === undefined) throw new IdentityFault("passphrase-needed")
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  let opened: Uint8Array
  try {
    opened = await decrypter.decrypt(sealed)
  } catch {
    throw new IdentityFault("passphrase-wrong")
  }
  try {
    return await identitiesOf(opened)
  } finally {
    opened.fill(0)
  }
}

/** Whether a passphrase must be asked for. */
export function isLocked(file: Uint8Array): boolean {
  return sealedPart(file) !== null
}

export interface NewIdentityFile {
  /** The bytes to write: as `age-keygen` writes them, without a time, or locked. */
  readonly file: Uint8Array
  readonly recipient: string
}

/** Makes a secret key and the file for it, locked where a passphrase is given. */
export async function newIdentityFile(
  passphrase: string | undefined,
  suite: Suite,
): Promise<NewIdentityFile> {
  const identity = await (suite === "pq" ? generateHybridIdentity() : generateX25519Identity())
  const recipient = await identityToRecipient(identity)
  const plain = new TextEncoder().encode(`# public key: ${recipient}\n${identity}\n`)
  if (passphrase === undefined) return { file: plain, recipient }
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return { file: await encrypter.encrypt(plain), recipient }
}

function sealedPart(bytes: Uint8Array): Uint8Array | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024))
  if (start.startsWith(BINARY)) return bytes
  if (!start.trimStart().startsWith(ARMORED)) return null
  try {
    return armor.decode(new TextDecoder().decode(bytes))
  } catch {
    throw new IdentityFault("unreadable")
  }
}

async function identitiesOf(bytes: Uint8Array): Promise<string[]> {
  const lines = new TextDecoder()
    .decode(bytes)
    .split(/\r?\n/)
    .map((line) => line.trim())
  const identities = lines.filter((line) => line !== "" && !line.startsWith("#"))
  if (identities.length === 0) throw new IdentityFault("empty")
  for (const identity of identities) {
    // Distinguishes a secret key of age from anything else. Plugins are refused too: they cannot be
    // used here.
    await identityToRecipient(identity).catch(() => {
      throw new IdentityFault("unreadable")
    })
  }
  return identities
}
