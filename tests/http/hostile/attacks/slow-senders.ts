import { type Attack, count, isOver, type Tally } from "../attack.ts"
import { formUpload } from "../multipart.ts"
import { endWithin, openConnection, pause } from "../raw-connection.ts"

const SENDERS = 22
/** Just above what the drop asks for over a minute. */
const BYTES_A_SECOND = 1_100
const FILE_BYTES = 4_000_000

/** Senders who keep just the pace that is asked for, more of them than there are sealers. */
export const slowSenders: Attack = {
  name: "slow senders",
  async run({ dropPort }, tally, over) {
    await Promise.all(Array.from({ length: SENDERS }, () => sendSlowly(dropPort, tally, over)))
  },
}

async function sendSlowly(port: number, tally: Tally, over: AbortSignal): Promise<void> {
  while (!isOver(over)) {
    const socket = await openConnection(port)
    if (socket === null) {
      await pause(1_000, over)
      continue
    }
    count(tally, "connections")
    socket.resume()
    const { head, parts } = formUpload(FILE_BYTES, "slow")
    const all = Buffer.concat([head, ...parts])
    for (let at = 0; at < all.length && !socket.closed && !isOver(over); at += BYTES_A_SECOND) {
      if (socket.writable) socket.write(all.subarray(at, at + BYTES_A_SECOND))
      count(tally, "seconds held")
      await pause(1_000, over)
    }
    await endWithin(socket, 0)
    await pause(500, over)
  }
}
