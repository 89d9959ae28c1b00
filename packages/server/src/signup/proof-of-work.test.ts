import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { type Challenge, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import {
  openProofOfWork,
  openSpentWork,
  type ProofOfWork,
  sharedSpentWork,
  signedChallenge,
} from "./proof-of-work.ts"

const secret = new Uint8Array(32).fill(7)
const now = (): number => Date.now()
const alone = (clock = now): ProofOfWork => openProofOfWork(secret, openSpentWork(clock), clock)

async function solved(challenge: Challenge): Promise<{ challenge: Challenge; solution: object }> {
  const solution = await solveChallenge({ challenge, deriveKey })
  assert.ok(solution !== null)
  return { challenge, solution }
}

/** Signed as every node signs, and solved at the third key: the first test solves a real one. */
async function easilySolved(): Promise<{ challenge: Challenge; solution: object }> {
  return await solved(await signedChallenge(secret, { counter: 3, madeAtMs: now() }))
}

test("a solution is accepted once", async () => {
  const proof = alone()
  const payload = await solved(await proof.challenge())
  assert.equal(await proof.accept(payload), true)
  assert.equal(await proof.accept(payload), false)
})

test("what one node offered is accepted once by all that share the records", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-"))
  after(() => rmSync(folder, { recursive: true }))
  const records = await openSqliteRecords({
    file: join(folder, "records.sqlite"),
    auditKey: secret,
  })
  after(() => records.close())
  await records.migrate()
  const node = (clock = now): ProofOfWork =>
    openProofOfWork(secret, sharedSpentWork(records), clock)
  const nodes = [node(), node(), node(() => Date.now() + 10 * 60_000)]
  const payload = await easilySolved()
  const accepted = await Promise.all(nodes.map((each) => each.accept(payload)))
  assert.deepEqual(accepted.filter(Boolean), [true])
  // A node that starts later knows of it, and takes what was offered before its time.
  assert.equal(await node().accept(payload), false)
  assert.equal(await node().accept(await easilySolved()), true)
})

test("what is not solved, not ours, or of an earlier process is refused", async () => {
  const proof = alone()
  const payload = await easilySolved()
  const { challenge, solution } = payload
  const other = openProofOfWork(new Uint8Array(32).fill(8), openSpentWork(now), now)
  assert.equal(await other.accept(payload), false)
  const later = alone(() => Date.now() + 1)
  assert.equal(await later.accept(payload), false)
  const wrong = { ...solution, derivedKey: "00".repeat(32) }
  assert.equal(await proof.accept({ challenge, solution: wrong }), false)
  for (const odd of [{}, { challenge: {} }, { challenge, solution: null }, []])
    assert.equal(await proof.accept(odd), false)
  assert.equal(await proof.accept(payload), true)
})
