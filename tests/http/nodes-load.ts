// A constant load on a service of several nodes, which remembers all it was told.
import { setTimeout as delay } from "node:timers/promises"
import type { EmailRiskResult } from "@assay/core/contract"

/** What became of one request. */
export interface Asked {
  readonly kind: Kind
  /** When it was sent and how long it took, in milliseconds of `performance.now`. */
  readonly at: number
  readonly tookMs: number
  /** null: the connection ended, or nothing came in time. */
  readonly status: number | null
}
export type Kind = "known" | "moving" | "report" | "evidence" | "find" | "limited"

/** An answer that was given, with the id by which it is to be found. */
export interface Answered {
  readonly id: string
  readonly result: EmailRiskResult
}

export interface Load {
  readonly asked: readonly Asked[]
  readonly answered: readonly Answered[]
  /** Ids of reports that were acknowledged, by the address they are about. */
  readonly reported: ReadonlyMap<string, string>
  /** Addresses whose evidence was acknowledged. */
  readonly sent: ReadonlySet<string>
  /** What a plan with limits let through: all of it, and whom it was about. */
  readonly limited: { admitted: number; readonly identities: Set<string> }
  /** Each answer that was wrong, in words. */
  readonly wrong: readonly string[]
  /** Ends the load when each of its senders has finished what it began. */
  stop(): Promise<void>
}

export interface LoadOptions {
  readonly baseUrl: string
  readonly key: string
  /** Of a plan with limits. */
  readonly limitedKey: string
  /** Addresses whose evidence does not change, with the answers that are right about them. */
  readonly known: ReadonlyMap<string, string>
  /** How many ask at once, and how long each waits between two requests. */
  readonly senders: number
  readonly pauseMs: number
}

/** Longer than a node of the cluster is given, and than nginx waits to try another node. */
const ANSWER_MS = 30_000
const LIMITED_IDENTITIES = 130

/** An explained answer without what is new in each: how the pure function answers the same. */
export function comparable(text: string): string {
  return text.replace(/"decision_id":"[^"]+"/, '"decision_id":null')
}

export function startLoad(options: LoadOptions): Load {
  const { baseUrl, key, limitedKey, known, senders, pauseMs } = options
  const addresses = [...known.keys()]
  const asked: Asked[] = []
  const answered: Answered[] = []
  const reported = new Map<string, string>()
  const sent = new Set<string>()
  const limited = { admitted: 0, identities: new Set<string>() }
  const wrong: string[] = []
  let running = true

  /** null: there was no answer, or one that says when to come back. */
  async function ask(
    kind: Kind,
    path: string,
    init: RequestInit,
    by = key,
  ): Promise<Response | null> {
    const at = performance.now()
    const note = (status: number | null): void =>
      void asked.push({ kind, at, tookMs: performance.now() - at, status })
    try {
      const response = await fetch(baseUrl + path, {
        ...init,
        headers: {
          "content-type": "application/json",
          ...(init.headers as Record<string, string> | undefined),
          authorization: `Bearer ${by}`,
        },
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      const body = await response.text()
      note(response.status)
      if (response.status === 503 || response.status === 429) {
        if (!(Number(response.headers.get("retry-after")) > 0))
          wrong.push(`${kind}: ${response.status} without Retry-After: ${body}`)
        return null
      }
      const { status, headers } = response
      return new Response(status === 204 ? null : body, { status, headers })
    } catch {
      note(null)
      return null
    }
  }

  const posted = (json: unknown, headers = {}): RequestInit => ({
    method: "POST",
    headers,
    body: JSON.stringify(json),
  })

  async function score(kind: Kind, email: string, by = key): Promise<string | null> {
    const response = await ask(kind, "/api/v1/risk/score?explain=true", posted({ email }), by)
    if (response === null) return null
    const text = await response.text()
    const id = response.headers.get("x-decision-id")
    if (response.status !== 200 || id === null) {
      wrong.push(`${kind}: ${response.status} ${id} ${text}`)
      return null
    }
    answered.push({ id, result: JSON.parse(text) as EmailRiskResult })
    return text
  }

  async function knownAddress(random: () => number): Promise<void> {
    const email = addresses[Math.floor(random() * addresses.length)] ?? ""
    const text = await score("known", email)
    if (text !== null && comparable(text) !== known.get(email))
      wrong.push(`known: ${email} is ${comparable(text)}, not ${known.get(email)}`)
  }

  /** Asks about somebody until there is an answer, which must have this stage. */
  async function expectStage(email: string, stage: string): Promise<void> {
    while (running) {
      await delay(pauseMs)
      const text = await score("moving", email)
      if (text === null) continue
      const { threat_stage: found } = JSON.parse(text) as EmailRiskResult
      if (found !== stage) wrong.push(`moving: ${email} is ${found}, not ${stage}`)
      return
    }
  }

  /** Nothing is known of somebody, until a report is acknowledged; then everybody knows. */
  async function report(email: string): Promise<void> {
    await expectStage(email, "CLEAN")
    const headers = { "idempotency-key": `load-${email}` }
    for (;;) {
      await delay(pauseMs)
      const json = { email, outcome: "takeover_confirmed" }
      const response = await ask("report", "/api/v1/feedback", posted(json, headers))
      if (response?.status === 202) {
        reported.set(email, ((await response.json()) as { id: string }).id)
        break
      }
      // The same request may still be carried out by the node that was asked first.
      if (response === null || response.status === 409) continue
      wrong.push(`report: ${response.status} ${await response.text()}`)
      return
    }
    for (let n = 0; n < 3; n++) await expectStage(email, "ATTACKED")
  }

  async function sendEvidence(email: string): Promise<void> {
    await expectStage(email, "CLEAN")
    const line = { email, source: "load", kind: "breach", observed_at: "2026-10-01" }
    const headers = { "content-type": "application/x-ndjson" }
    for (;;) {
      await delay(pauseMs)
      const response = await ask("evidence", "/api/v1/evidence", posted(line, headers))
      if (response === null) continue
      const text = await response.text()
      if (response.status === 200 && /"(?:stored|known)"/.test(text)) break
      // A line can be refused in an answer that had begun.
      if (/"store-unavailable"/.test(text)) continue
      wrong.push(`evidence: ${response.status} ${text}`)
      return
    }
    sent.add(email)
    for (let n = 0; n < 3; n++) await expectStage(email, "LEAKED")
  }

  async function findDecision(random: () => number): Promise<void> {
    const { id } = answered[Math.floor((1 - random() ** 3) * answered.length)] ?? {}
    if (id === undefined) return
    const response = await ask("find", `/api/v1/decisions/${id}`, { method: "GET" })
    if (response === null) return
    const { reproduced } = (await response.json()) as { readonly reproduced?: boolean }
    if (response.status !== 200 || reproduced !== true)
      wrong.push(`find: ${id} is ${response.status}, reproduced ${reproduced}`)
  }

  async function sender(number: number): Promise<void> {
    const random = seeded(number + 1)
    for (let n = 0; running; n++) {
      const dice = random()
      if (dice < 0.06) await report(`reported-${letters(random)}@mail.example`)
      else if (dice < 0.12) await sendEvidence(`listed-${letters(random)}@mail.example`)
      else if (dice < 0.25) await findDecision(random)
      else await knownAddress(random)
      await delay(pauseMs)
    }
  }

  /** Asks for more than the plan has, all the time. */
  async function limitedSender(number: number): Promise<void> {
    for (let n = number; running; n += 7) {
      const email = `limited-${n % LIMITED_IDENTITIES}@mail.example`
      const path = "/api/v1/risk/score"
      const response = await ask("limited", path, posted({ email }), limitedKey)
      if (response?.status === 200) {
        limited.admitted++
        limited.identities.add(email)
      } else if (response !== null) wrong.push(`limited: ${response.status}`)
      await delay(pauseMs)
    }
  }

  const all = [
    ...Array.from({ length: senders }, (_, n) => sender(n)),
    ...Array.from({ length: 2 }, (_, n) => limitedSender(n)),
  ]
  return {
    asked,
    answered,
    reported,
    sent,
    limited,
    wrong,
    async stop() {
      running = false
      await Promise.all(all)
    },
  }
}

/** Names that say as much about their owner as one another: nothing. */
function letters(random: () => number): string {
  const of = "abcdefghijklmnopqrstuvwxyz"
  return Array.from({ length: 12 }, () => of[Math.floor(random() * of.length)]).join("")
}

/** mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
