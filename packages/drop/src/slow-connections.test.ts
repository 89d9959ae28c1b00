import assert from "node:assert/strict"
import { Socket } from "node:net"
import { mock, test } from "node:test"
import { endIfSlow } from "./slow-connections.ts"

/**
 * Returns for how many seconds a connection stays open that receives `bytesASecond`, at most
 * `seconds`.
 */
function secondsOpen(bytesASecond: number, seconds: number): number {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] })
  const socket = new Socket()
  let moved = 0
  Object.defineProperty(socket, "bytesRead", { get: () => moved })
  endIfSlow(socket)
  let open = 0
  while (open < seconds && !socket.destroyed) {
    moved += bytesASecond
    mock.timers.tick(1000)
    open += 1
  }
  socket.destroy()
  mock.timers.reset()
  return open
}

test("T40: who sends a byte a second is cut off after a minute, and so is who sends nothing", () => {
  assert.equal(secondsOpen(1, 3600), 60)
  assert.equal(secondsOpen(0, 3600), 60)
  assert.equal(secondsOpen(999, 3600), 60)
})

test("who sends 1 kB a second is not, and has an hour", () => {
  assert.equal(secondsOpen(1000, 3599), 3599)
  assert.equal(secondsOpen(1_000_000, 7200), 3600)
})
