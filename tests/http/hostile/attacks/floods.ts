import { randomBytes } from "node:crypto"
import { Agent } from "node:http"
import { type Attack, count, type Target } from "../attack.ts"
import { ask, type Asked } from "./ask.ts"

type Request = Pick<Asked, "port" | "path"> & Partial<Pick<Asked, "headers" | "body">>

/** This many at once, each asking again as soon as it was answered. */
function flood(name: string, atOnce: number, next: (target: Target, n: number) => Request): Attack {
  return {
    name,
    async run(target, tally, over) {
      const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
      let n = 0
      const lane = async (): Promise<void> => {
        while (!over.aborted)
          count(tally, `status ${await ask({ ...next(target, n++), agent, over })}`)
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
      agent.destroy()
    },
  }
}

const json = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
})

/**
 * Addresses that were dear to refuse: long labels, long addresses, characters that must be
 * normalised.
 */
const DEAR_ADDRESSES = [
  `a@${"ü".repeat(1_000)}.example`,
  `${"a".repeat(1_000)}@mail.example`,
  `a@${"xn--".repeat(250)}.example`,
  `a@${"é.".repeat(500)}example`,
  `${"a\u0301".repeat(500)}@mail.example`,
]

export const dearInput = flood("dear input", 16, ({ port, freeKeys }, n) => ({
  port,
  path: "/api/v1/risk/score",
  headers: json(freeKeys.input),
  body: JSON.stringify({ email: DEAR_ADDRESSES[n % DEAR_ADDRESSES.length] }),
}))

export const writes = flood("writes of a free key", 16, ({ port, freeKeys }, n) => ({
  port,
  path: "/api/v1/feedback",
  headers: json(freeKeys.writes),
  body: JSON.stringify({ email: `w${n}@mail.example`, outcome: "fraud_confirmed" }),
}))

export const wrongKeys = flood("wrong keys", 4, ({ port }) => ({
  port,
  path: "/api/v1/risk/score",
  headers: json(`ask_live_${randomBytes(18).toString("hex")}`),
  body: '{"email":"a@mail.example"}',
}))

export const unknownMailboxes = flood("unknown mailboxes", 4, ({ dropPort }) => ({
  port: dropPort,
  path: "/drop/mailbox",
  headers: { "content-type": "application/octet-stream" },
  body: randomBytes(32),
}))

export const uselessTickets = flood("useless tickets", 2, ({ dropPort }) => ({
  port: dropPort,
  path: "/drop/sealed",
  headers: {
    "content-type": "application/octet-stream",
    "drop-ticket": randomBytes(40).toString("base64url"),
    "drop-withdraw": randomBytes(32).toString("hex"),
  },
  body: randomBytes(60_000),
}))

export const stolenToken = flood("a stolen token", 1, ({ port, recipientToken }) => ({
  port,
  path: `/api/v1/drop/reseal/${randomBytes(16).toString("hex")}`,
  headers: {
    authorization: `Bearer ${recipientToken}`,
    "content-type": "application/octet-stream",
  },
  body: randomBytes(1_000),
}))
