import { type Attack, count, type Tally, type Target } from "../attack.ts"
import { openConnection, pause } from "../raw-connection.ts"

const READERS = 20
/**
 * Enough requests that the answers exceed what the kernel holds for a client that does not read.
 */
const PAGES = 40
const HELD_MS = 60_000

/** Visitors who ask for long pages and read nothing of them. */
export const deafReaders: Attack = {
  name: "deaf readers",
  async run(target, tally, over) {
    await Promise.all(Array.from({ length: READERS }, () => askAndWait(target, tally, over)))
  },
}

async function askAndWait({ port }: Target, tally: Tally, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const socket = await openConnection(port)
    if (socket !== null) {
      socket.write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(PAGES))
      count(tally, "readers")
      await pause(HELD_MS, over)
      socket.destroy()
    }
    await pause(500, over)
  }
}
