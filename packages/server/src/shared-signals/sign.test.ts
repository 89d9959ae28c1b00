import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from "jose"
import { HOUR_MS, MINUTE_MS } from "@assay/runtime/time"
import { deriveSecrets } from "@assay/runtime/secrets"
import type { Records } from "@assay/stores/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import { openSealer } from "../accounts/sealed.ts"
import { openKeyRotation } from "./rotation.ts"
import {
  AGE_MS,
  KEPT_MS,
  KEYS_SECONDS,
  LEAD_MS,
  openSigner,
  publishedKeys,
  SIGNING_KEY,
} from "./sign.ts"

const { subkeys } = deriveSecrets(new Uint8Array(32).fill(7))
const sealer = openSealer(subkeys["sealed-identity"], SIGNING_KEY)
const folder = mkdtempSync(join(tmpdir(), "assay-sign-"))
after(() => rmSync(folder, { recursive: true }))

const opened: Records[] = []
after(async () => {
  for (const records of opened) await records.close()
})
let files = 0
async function newRecords(): Promise<() => Promise<Records>> {
  const file = join(folder, `records-${++files}.db`)
  const open = async (): Promise<Records> => {
    const records = await openSqliteRecords({ file, auditKey })
    opened.push(records)
    await records.migrate()
    return records
  }
  return open
}

test("every token verifies while keys rotate, with key sets as old as they may be", async () => {
  const open = await newRecords()
  let now = Date.UTC(2026, 10, 18)
  const clock = (): number => now
  // Two services on one database, each with a signer of its own.
  const services = await Promise.all(
    [0, 1].map(async () => {
      const records = await open()
      return {
        rotation: openKeyRotation({ records, sealer, now: clock }),
        sign: openSigner({ keys: () => records.sharedKeys(), sealer, now: clock }),
        keys: async () => publishedKeys(await records.sharedKeys(), now),
      }
    }),
  )
  const [one, two] = services
  assert.ok(one !== undefined && two !== undefined)
  await Promise.all(services.map(({ rotation }) => rotation.settle()))
  let remembered: { at: number; keys: JWK[] } = { at: now, keys: await one.keys() }
  assert.equal(remembered.keys.length, 1)
  const signedBy = new Set<string>()
  const rotated = new Set<string>()
  const steps = process.env["ASSAY_SOAK"] === undefined ? 600 : 1_500
  for (let step = 0; step < steps; step++) {
    now += step % 100 === 0 ? 8 * HOUR_MS : 10_000 + (step % 5) * 40_000
    for (const { rotation } of services) await rotation.settle()
    // Somebody presses the button, at both services at once.
    if (step % 150 === 5) {
      const by = { actor: "person:1", requestId: "r1" }
      for (const key of await Promise.all(services.map((each) => each.rotation.rotate(by))))
        rotated.add(key.id)
    }
    // A receiver that asks for the keys as rarely as it may.
    if (now - remembered.at >= KEYS_SECONDS * 1000)
      remembered = { at: now, keys: await (step % 2 === 0 ? one : two).keys() }
    for (const { sign } of services) {
      const token = await sign({ iss: "https://risk.example", n: step })
      const { kid, typ, alg } = decodeProtectedHeader(token)
      assert.deepEqual([typ, alg], ["secevent+jwt", "RS256"])
      signedBy.add(kid ?? "")
      await jwtVerify(token, createLocalJWKSet({ keys: remembered.keys }))
    }
  }
  assert.equal(rotated.size, steps / 150)
  for (const id of rotated) assert.ok(signedBy.has(id), "each of them signed in its time")
})

test("a key has 2048 bits, signs for its time, and goes when nobody needs it", async () => {
  const records = await (await newRecords())()
  let now = Date.UTC(2026, 10, 18)
  const rotation = openKeyRotation({ records, sealer, now: () => now })
  await rotation.settle()
  const [first] = await records.sharedKeys()
  assert.ok(first !== undefined)
  assert.equal(Buffer.from(String(first.publicKey["n"]), "base64url").length * 8, 2048)
  assert.deepEqual(Object.keys(first.publicKey).toSorted(), ["alg", "e", "kid", "kty", "n", "use"])
  now += AGE_MS - 1
  await rotation.settle()
  assert.equal((await records.sharedKeys()).length, 1)
  now += MINUTE_MS
  await rotation.settle()
  const [, second] = await records.sharedKeys()
  assert.equal(second?.signsFrom, now + LEAD_MS)
  // One that waits is enough.
  const again = await rotation.rotate({ actor: "person:1", requestId: null })
  assert.equal(again.id, second.id)
  now = second.signsFrom + KEPT_MS - 1
  await rotation.settle()
  assert.equal(publishedKeys(await records.sharedKeys(), now).length, 2)
  now += MINUTE_MS
  await rotation.settle()
  assert.deepEqual(
    (await records.sharedKeys()).map(({ id }) => id),
    [second.id],
  )
})

test("a private key is not readable in the records", async () => {
  const records = await (await newRecords())()
  const rotation = openKeyRotation({ records, sealer, now: Date.now })
  await rotation.settle()
  const [key] = await records.sharedKeys()
  assert.ok(key !== undefined)
  assert.ok(!Buffer.from(key.sealed).toString("latin1").includes("PRIVATE"))
  assert.match(sealer.open(key.sealed, key.id) ?? "", /PRIVATE KEY/)
  assert.equal(sealer.open(key.sealed, "sig_other"), null)
})
