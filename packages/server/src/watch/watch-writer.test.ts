import assert from "node:assert/strict"
import { test } from "node:test"
import { openWatchWriter } from "./watch-writer.ts"

const nothing = async (): Promise<void> => undefined
const records = {
  addWatchItems: async () => assert.fail("nothing is added"),
  removeWatchItems: async () => assert.fail("nothing is removed"),
}
const options = { records, onAdded: () => undefined, onEnding: () => undefined, now: Date.now }
const fails = async (): Promise<void> => {
  throw new Error("records are away")
}

for (const [what, works] of Object.entries({
  round: { round: fails, checkDomains: nothing },
  "look for proofs": { round: nothing, checkDomains: fails },
})) {
  test(`a ${what} that failed is reported by the next call, and is tried again`, async () => {
    const writer = openWatchWriter({ ...options, ...works })
    await writer.settleDue()
    await new Promise(setImmediate)
    await assert.rejects(writer.settleDue(), /records are away/)
    await new Promise(setImmediate)
    await assert.rejects(writer.settleDue(), /records are away/)
  })
}

test("what fails because the service stops is no fault, and nothing begins any more", async () => {
  const { promise: failing, reject } = Promise.withResolvers<null>()
  let begun = 0
  const checkDomains = async (): Promise<void> => {
    begun++
    await failing
  }
  const writer = openWatchWriter({ ...options, round: nothing, checkDomains })
  await writer.settleDue()
  await writer.idle()
  reject(new Error("closed"))
  await new Promise(setImmediate)
  await writer.settleDue()
  assert.equal(begun, 1)
})
