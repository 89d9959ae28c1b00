import { type Attack, count } from "../attack.ts"
import { endWithin, openConnection, pause } from "../raw-connection.ts"

const BEGINNINGS = [
  "POST /drop/form HTTP/1.1\r\n",
  "POST /drop/replies HTTP/1.1\r\nHost: localhost\r\n",
  "POST /drop/form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nmessage=never-finished",
]

/**
 * Visitors who hang up before their request is whole: once with FIN, once with RST, once without a
 * word.
 */
export const hangUps: Attack = {
  name: "hang-ups",
  async run({ dropPort }, tally, over) {
    for (let n = 0; !over.aborted; n++) {
      const socket = await openConnection(dropPort)
      if (socket !== null) {
        socket.write(BEGINNINGS[n % BEGINNINGS.length] ?? "")
        if (n % 3 === 0) socket.end()
        else if (n % 3 === 1) setTimeout(() => socket.resetAndDestroy(), 20)
        void endWithin(socket, 3_000)
        count(tally, "visitors")
      } else count(tally, "refused")
      await pause(250, over)
    }
  },
}
