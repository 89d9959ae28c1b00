import { encapsulate, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto"
import { headerSize, sealedSize, SMALLEST_CLASS, type Suite } from "@assay/core/drop"

/** Of SHA-256, of a wrapped content key, and of an X25519 share. */
const SHORT_BYTES = 32

/**
 * A file that looks like a sealed reply but that nobody can open, so that an empty slot in a
 * mailbox looks like a taken one. The parts that age makes by ciphers and hashes are random bytes
 * here: without a key nobody can distinguish them, and they cost next to nothing. The parts that
 * age makes by curves and lattices would not pass as random bytes, since half of all random numbers
 * are no point of the curve, so each share is a real one.
 */
export function newFilling(recipientKeys: number, suite: Suite): Uint8Array {
  // The recipients and the sender.
  const stanzas = recipientKeys + 1
  const filling = Buffer.alloc(sealedSize(SMALLEST_CLASS, stanzas, suite))
  const lines = Array.from({ length: stanzas }, () => `${stanza(suite)}\n${short()}\n`)
  const written = filling.write(
    `age-encryption.org/v1\n${lines.join("")}--- ${short()}\n`,
    "latin1",
  )
  if (written !== headerSize(stanzas, suite)) throw new Error("A header has another length")
  randomBytes(filling.length - written).copy(filling, written)
  return filling
}

function stanza(suite: Suite): string {
  return suite === "pq"
    ? `-> mlkem768x25519 ${base64(Buffer.concat([latticeShare(), curveShare()]))}`
    : `-> X25519 ${base64(curveShare())}`
}

/** The public half of a key that is forgotten at once. */
function curveShare(): Buffer {
  const { publicKey } = generateKeyPairSync("x25519")
  return publicKey.export({ type: "spki", format: "der" }).subarray(-SHORT_BYTES)
}

let nobody: KeyObject | undefined

/** A share for a key whose secret half nobody has. The share does not show which key it is for. */
function latticeShare(): Buffer {
  nobody ??= generateKeyPairSync("ml-kem-768").publicKey
  return Buffer.from(encapsulate(nobody).ciphertext)
}

const short = (): string => base64(randomBytes(SHORT_BYTES))

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")
