import assert from "node:assert/strict"
import { Writable } from "node:stream"
import { test } from "node:test"
import { streamOutput } from "./score-output.ts"

test("an output that makes every write wait is written whole, and leaves nothing that listens for the last one", async () => {
  let written = ""
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      setImmediate(done)
    },
  })
  const output = streamOutput(stream)
  const before = stream.listenerCount("close") + stream.listenerCount("error")
  for (let n = 0; n < 20; n++) await output.write(`${n}\n`)
  await output.commit()
  assert.equal(written, Array.from({ length: 20 }, (_, n) => `${n}\n`).join(""))
  assert.equal(stream.listenerCount("close") + stream.listenerCount("error"), before)
})

for (const [how, error] of [
  ["with an error", Object.assign(new Error("broken pipe"), { code: "EPIPE" })],
  ["without a word", undefined],
] as const) {
  test(`an output whose reader leaves ${how} ends the run with a sentence, in a write that waits and in the next`, async () => {
    const stream = new Writable({
      highWaterMark: 1,
      // Never done: the pipe is full.
      write: () => undefined,
    })
    const output = streamOutput(stream)
    const refusal = { name: "CommandError", message: "Nobody reads the output any more" }
    const waiting = output.write("one\n")
    stream.destroy(error)
    await assert.rejects(waiting, refusal)
    await assert.rejects(output.write("two\n"), refusal)
    await assert.rejects(output.commit(), refusal)
  })
}
