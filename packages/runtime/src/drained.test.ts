import assert from "node:assert/strict"
import { Writable } from "node:stream"
import { test } from "node:test"
import { writeDrained } from "./drained.ts"

/** Takes nothing until `takeIt` is called. */
function stuck(): { stream: Writable; takeIt: () => void } {
  let takeIt = (): void => undefined
  const stream = new Writable({
    highWaterMark: 1,
    write(_piece, _encoding, done) {
      takeIt = done
    },
  })
  stream.on("error", () => undefined)
  return { stream, takeIt: () => takeIt() }
}

test("a write waits for room, and leaves no listener behind", async () => {
  const { stream, takeIt } = stuck()
  const before = stream.eventNames().map((name) => stream.listenerCount(name))
  const writing = writeDrained(stream, "a")
  takeIt()
  await writing
  assert.deepEqual(
    stream.eventNames().map((name) => stream.listenerCount(name)),
    before,
  )
})

test("a write does not outlive its stream, whether it fails or is closed, now or earlier", async () => {
  const broken = Object.assign(new Error("gone"), { code: "EPIPE" })
  for (const [error, code] of [
    [broken, "EPIPE"],
    [undefined, "ERR_STREAM_DESTROYED"],
  ] as const) {
    const { stream } = stuck()
    const writing = writeDrained(stream, "a")
    stream.destroy(error)
    await assert.rejects(writing, { code })
    await assert.rejects(writeDrained(stream, "b"), { code })
  }
  const { stream } = stuck()
  stream.end()
  await assert.rejects(writeDrained(stream, "a"), { code: "ERR_STREAM_DESTROYED" })
})
