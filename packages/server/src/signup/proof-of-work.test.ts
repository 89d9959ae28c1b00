import assert from "node:assert/strict"
import { test } from "node:test"
import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { openProofOfWork, type ProofOfWork } from "./proof-of-work.ts"

const secret = new Uint8Array(32).fill(7)
const now = (): number => Date.now()

async function solved(proof: ProofOfWork): Promise<{ challenge: object; solution: object }> {
  const challenge = await proof.challenge()
  const solution = await solveChallenge({ challenge, deriveKey })
  assert.ok(solution !== null)
  return { challenge, solution }
}

test("a solution is accepted once", async () => {
  const proof = openProofOfWork(secret, now)
  const payload = await solved(proof)
  assert.equal(await proof.accept(payload), true)
  assert.equal(await proof.accept(payload), false)
})

test("what is not solved, not ours, or of an earlier process is refused", async () => {
  const proof = openProofOfWork(secret, now)
  const payload = await solved(proof)
  const { challenge, solution } = payload
  const other = openProofOfWork(new Uint8Array(32).fill(8), now)
  assert.equal(await other.accept(payload), false)
  const later = openProofOfWork(secret, () => Date.now() + 1)
  assert.equal(await later.accept(payload), false)
  const wrong = { ...solution, derivedKey: "00".repeat(32) }
  assert.equal(await proof.accept({ challenge, solution: wrong }), false)
  for (const odd of [{}, { challenge: {} }, { challenge, solution: null }, []])
    assert.equal(await proof.accept(odd), false)
  assert.equal(await proof.accept(payload), true)
})
