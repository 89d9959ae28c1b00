import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import { inflateSync } from "node:zlib"
import type * as age from "age-encryption"
import * as exported from "cctv-age"

/** What opens files in a build of the library. */
export type Age = Pick<typeof age, "armor" | "Decrypter">

/** A vector: lines of `key: value`, an empty line, an age file. */
interface Vector {
  readonly expect: string
  readonly payload: string | undefined
  readonly identities: string[]
  readonly passphrases: string[]
  readonly armored: boolean
  readonly file: Uint8Array
}

function read(bytes: Uint8Array): Vector {
  const end = Buffer.from(bytes).indexOf("\n\n")
  const pairs = new TextDecoder()
    .decode(bytes.subarray(0, end))
    .split("\n")
    .map((line) => line.split(": ", 2) as [string, string])
  const all = (key: string): string[] =>
    pairs.filter(([name]) => name === key).map(([, value]) => value)
  const body = bytes.subarray(end + 2)
  return {
    expect: all("expect")[0] ?? "",
    payload: all("payload")[0],
    identities: all("identity"),
    passphrases: all("passphrase"),
    armored: all("armored")[0] === "yes",
    file: all("compressed")[0] === "zlib" ? new Uint8Array(inflateSync(body)) : body,
  }
}

async function open(
  { armor, Decrypter }: Age,
  { file, armored, identities, passphrases }: Vector,
): Promise<Uint8Array> {
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase)
  return await decrypter.decrypt(armored ? armor.decode(new TextDecoder().decode(file)) : file)
}

/** By its types the package exports one object; in fact it exports one name per vector. */
const vectors = new Map(Object.entries<Uint8Array>(exported))

/**
 * The vectors of age's authors, against a build of the library; `wanted` leaves out what that build
 * was made without.
 */
export function ageVectorsSuite(
  build: string,
  load: () => Promise<Age>,
  wanted: (vector: { readonly passphrases: readonly string[] }) => boolean = () => true,
): void {
  test(`T2: every test vector of age opens, or is refused, as its authors say, with ${build}`, async () => {
    const age = await load()
    const chosen = [...vectors]
      .map(([name, bytes]) => [name, read(bytes)] as const)
      .filter(([, vector]) => wanted(vector))
    assert.ok(chosen.length > 80, `${chosen.length} vectors`)
    for (const [name, vector] of chosen) {
      if (vector.expect === "success") {
        const payload = await open(age, vector)
        assert.equal(createHash("sha256").update(payload).digest("hex"), vector.payload, name)
      } else {
        assert.match(vector.expect, /^(no match|(HMAC|header|payload|armor) failure)$/, name)
        await assert.rejects(open(age, vector), Error, name)
      }
    }
  })
}
