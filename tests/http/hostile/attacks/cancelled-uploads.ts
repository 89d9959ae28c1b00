import type { Socket } from "node:net"
import { type Attack, count } from "../attack.ts"
import { formUpload } from "../multipart.ts"
import { endWithin, openConnection, pause } from "../raw-connection.ts"

const FILE_BYTES = 200_000

/** Where an upload is cancelled: after this many bytes. */
const PLACES: readonly ((head: number, first: number, all: number) => number)[] = [
  (head) => Math.floor(head / 2),
  (head, first) => head + Math.floor(first / 2),
  (head, first, all) => Math.floor((head + first + all) / 2),
  (_, __, all) => all,
]

/**
 * Uploads that break off in the head, the first part, the middle of a file, and after the last
 * byte.
 */
export const cancelledUploads: Attack = {
  name: "cancelled uploads",
  async run({ dropPort }, tally, over) {
    for (let n = 0; !over.aborted; n++) {
      const { head, parts } = formUpload(FILE_BYTES, "cancelled")
      const all = Buffer.concat([head, ...parts])
      const place = PLACES[n % PLACES.length]?.(head.length, parts[0]?.length ?? 0, all.length) ?? 0
      const socket = await openConnection(dropPort)
      if (socket !== null) {
        socket.write(all.subarray(0, place), () => leave(socket, n))
        void endWithin(socket, 5_000)
        count(tally, "uploads")
      }
      await pause(1_000, over)
    }
  },
}

function leave(socket: Socket, n: number): void {
  if (n % 2 === 0) socket.resetAndDestroy()
  else socket.end()
}
