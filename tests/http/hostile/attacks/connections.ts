import type { Socket } from "node:net"
import { type Attack, count, isOver } from "../attack.ts"
import { openConnection, pause } from "../raw-connection.ts"

/** More than the descriptors of a process allow. */
const CONNECTIONS = 1_500
const HELD_MS = 3_000
const REST_MS = 15_000

/**
 * Opens more connections than there are descriptors, holds those it got, lets all go, and again.
 */
export const connections: Attack = {
  name: "connections",
  async run({ port, dropPort }, tally, over) {
    while (!isOver(over)) {
      const held: Socket[] = []
      for (let n = 0; n < CONNECTIONS && !isOver(over); n++) {
        const socket = await openConnection(n % 2 === 0 ? port : dropPort)
        if (socket === null) count(tally, "refused")
        else held.push(socket.resume())
      }
      count(tally, "opened", held.length)
      await pause(HELD_MS, over)
      for (const socket of held) socket.destroy()
      await pause(REST_MS, over)
    }
  },
}
