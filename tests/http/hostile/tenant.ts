// A tenant that does ordinary work while others attack.
import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as delay } from "node:timers/promises"
import { portOf } from "@assay/runtime/rpc"

export interface Tenant {
  /** How long its answers took, in milliseconds, since this was last asked. */
  takeTimes(): Promise<Times>
  /** What it was answered. */
  answers(): Promise<Answers>
  ask(path: string, json?: unknown): Promise<Reply>
  stop(): Promise<void>
}

export interface Times {
  readonly scoring: readonly number[]
  /** Apart: a write waits for the disk and for other writes. */
  readonly writing: readonly number[]
}

export interface Answers {
  /** Decisions it got an answer about, with their score. */
  readonly decisions: ReadonlyMap<string, number>
  /**
   * Identities it reported as taken over, or sent evidence about, and got an acknowledgement for.
   */
  readonly reported: ReadonlySet<string>
  readonly observed: ReadonlySet<string>
  /** Answers it should not have got, and connections that broke. */
  readonly wrong: readonly string[]
  /** How many 503 said when to come back. */
  readonly busy: number
  /** How many new connections were closed at once, and then opened again. */
  readonly refused: number
}

/** What the test calls on a tenant in its thread. */
export const tenantPort = portOf<Tenant>("tenant", {
  takeTimes: true,
  answers: true,
  ask: true,
  stop: true,
})

interface Reply {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Readonly<Record<string, unknown>>
}

const SCORES_A_SECOND = 25
/** One request in this many writes instead. */
const WRITES = 25
/** A tenth of them are identities with evidence, as in a corpus that holds a part of the world. */
const KNOWN = ["ana.silva@mail.example", "mei.tanaka@mail.example", "sofia.rossi@mail.example"]

/**
 * A new connection was closed before its answer: a worker whose descriptors are used up refuses in
 * this way, and a client opens another.
 */
class Refused extends Error {}

/** Scores at a steady pace, late answers or not, and writes now and then. */
export function openTenant(port: number, key: string, name: string): Tenant {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  let times: { scoring: number[]; writing: number[] } = { scoring: [], writing: [] }
  const decisions = new Map<string, number>()
  const [reported, observed] = [new Set<string>(), new Set<string>()]
  const wrong: string[] = []
  const under = new Set<Promise<void>>()
  let busy = 0
  let refused = 0
  const until = new AbortController()

  const send = (path: string, json: unknown): Promise<IncomingMessage> =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({
        port,
        host: "127.0.0.1",
        path,
        method: json === undefined ? "GET" : "POST",
        agent,
        timeout: 60_000,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      })
      sent.once("timeout", () => sent.destroy(new Error("no answer in a minute")))
      sent.once("response", resolve).once("error", (error) => {
        const isRefused = !sent.reusedSocket && "code" in error && error.code === "ECONNRESET"
        reject(isRefused ? new Refused() : error)
      })
      sent.end(json === undefined ? undefined : JSON.stringify(json))
    })
  const ask = async (path: string, json?: unknown): Promise<Reply> => {
    const response = await send(path, json).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error
      refused++
      return send(path, json)
    })
    const body = JSON.parse(await text(response)) as Reply["body"]
    return { status: response.statusCode ?? 0, headers: response.headers, body }
  }

  const work = async (n: number, dueAt: number): Promise<void> => {
    try {
      const writes = n % WRITES === 0
      await (writes ? write(n) : score(n))
      times[writes ? "writing" : "scoring"].push(performance.now() - dueAt)
    } catch (error) {
      wrong.push(`${name}, at ${new Date().toISOString()}: ${String(error)}`)
    }
  }
  const score = async (n: number): Promise<void> => {
    const email = n % 10 === 0 ? KNOWN[(n / 10) % KNOWN.length] : `${name}${n}@mail.example`
    const reply = await ask("/api/v1/risk/score", { email })
    if (!isRight(reply, 200)) return
    decisions.set(String(reply.headers["x-decision-id"]), Number(reply.body["risk_score"]))
  }
  const write = async (n: number): Promise<void> => {
    const email = `${name}-w${n}@mail.example`
    if (n % (2 * WRITES) === 0) {
      const reply = await ask("/api/v1/feedback", { email, outcome: "takeover_confirmed" })
      if (isRight(reply, 202, 200, 201)) reported.add(email)
      return
    }
    const line = { email, kind: "breach", source: "soc", observed_at: new Date().toISOString() }
    const reply = await ask("/api/v1/evidence", [line])
    if (isRight(reply, 202, 200, 201)) observed.add(email)
  }
  const isRight = ({ status, headers, body }: Reply, ...right: number[]): boolean => {
    if (right.includes(status)) return true
    if (status === 503 && headers["retry-after"] !== undefined) busy++
    else wrong.push(`${name} got ${status} ${JSON.stringify(body)}`)
    return false
  }

  const pacing = (async () => {
    const startedAt = performance.now()
    for (let n = 1; !until.signal.aborted; n++) {
      const dueAt = startedAt + (n * 1000) / SCORES_A_SECOND
      const early = dueAt - performance.now()
      if (early > 0) await delay(early)
      const one: Promise<void> = work(n, dueAt).finally(() => under.delete(one))
      under.add(one)
    }
  })()
  return {
    takeTimes() {
      const taken = times
      times = { scoring: [], writing: [] }
      return Promise.resolve(taken)
    },
    answers: () => Promise.resolve({ decisions, reported, observed, wrong, busy, refused }),
    ask,
    async stop() {
      until.abort()
      await pacing
      await Promise.all(under)
    },
  }
}
