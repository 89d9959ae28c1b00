import { request } from "node:http"
import { createInterface } from "node:readline"
import { type Attack, count, type Tally, type Target } from "../attack.ts"
import { pause } from "../raw-connection.ts"

const STREAMS = 40
const LINES_AT_ONCE = 50

/** Streams of ever new identities with one free key, to get past what a day and a month allow. */
export const streams: Attack = {
  name: "streams of a free key",
  sign: "identities answered",
  async run(target, tally, over) {
    const answered = new Set<string>()
    await Promise.all(
      Array.from({ length: STREAMS }, async (_, lane) => {
        for (let round = 0; !over.aborted; round++) {
          await streamOnce(target, tally, over, `s${lane}r${round}`, answered)
          await pause(200, over)
        }
      }),
    )
  },
}

async function streamOnce(
  { port, freeKeys }: Target,
  tally: Tally,
  over: AbortSignal,
  name: string,
  answered: Set<string>,
): Promise<void> {
  const emails: string[] = []
  await new Promise<void>((resolve) => {
    const sent = request({
      port,
      host: "127.0.0.1",
      path: "/api/v1/risk/score/batch",
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${freeKeys.streams}`,
        "content-type": "application/x-ndjson",
      },
    })
    const end = (): void => {
      over.removeEventListener("abort", end)
      clearInterval(writing)
      sent.destroy()
      resolve()
    }
    over.addEventListener("abort", end)
    const writing = setInterval(() => {
      if (sent.writableNeedDrain) return
      let lines = ""
      for (let n = 0; n < LINES_AT_ONCE; n++) {
        const email = `${name}n${emails.length}@mail.example`
        emails.push(email)
        lines += `{"email":"${email}"}\n`
      }
      sent.write(lines)
    }, 100)
    sent.once("error", end)
    sent.once("response", (response) => {
      count(tally, `status ${response.statusCode}`)
      response.once("close", end)
      response.on("error", end)
      const lines = createInterface({ input: response })
      // A reader of lines repeats the errors of what it reads.
      lines.on("error", end)
      lines.on("line", (line) => {
        // The line that ends a stream has no index.
        const { index, result } = JSON.parse(line) as { index?: number; result?: object }
        if (result === undefined) count(tally, "lines refused")
        else {
          answered.add(emails[index ?? -1] ?? "")
          tally["identities answered"] = answered.size
        }
      })
    })
    count(tally, "streams")
  })
}
