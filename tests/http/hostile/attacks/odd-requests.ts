import { type Attack, count } from "../attack.ts"
import { endWithin, openConnection, pause } from "../raw-connection.ts"

const SCORE = "POST /api/v1/risk/score HTTP/1.1\r\n"
const REQUESTS = [
  "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
  "GET /readyz HTTP/1.1\r\nHost: rebound.example\r\n\r\n",
  `${SCORE}Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${SCORE}Host: localhost\r\nContent-Length: 16000\r\n\r\n{"email":`,
  `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  "\u0000\u0001\u0002 HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\n",
]

/** Requests that no client sends, each left open for as long as the service lets it. */
export const oddRequests: Attack = {
  name: "odd requests",
  async run({ port, dropPort }, tally, over) {
    for (let n = 0; !over.aborted; n++) {
      const socket = await openConnection(n % 4 === 3 ? dropPort : port)
      if (socket !== null) {
        socket.write(REQUESTS[n % REQUESTS.length] ?? "")
        void endWithin(socket, 10_000)
        count(tally, "requests")
      }
      await pause(100, over)
    }
  },
}
