import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { DecisionDetails } from "@assay/core/contract"
import { childrenOf } from "../../bench/process-figures.ts"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const isSoak = process.env["ASSAY_SOAK"] !== undefined
const KILLS = isSoak ? 20 : 1
/** Between two requests of a client. Each decision is read again later, most of them twice. */
const PAUSE_MS = isSoak ? 0 : 20
/** A connection handed to a process that dies at that moment is answered by nobody. */
const unanswered = (): AbortSignal => AbortSignal.timeout(5_000)
const EMAILS = ["mei.tanaka@mail.example", "sofia.rossi@mail.example", "nobody@mail.example"]

/** The decisions that clients got an answer about: id and score. */
type Answered = Map<string, unknown>

/** Scores while `running`; answers that arrived whole are in `answered`. */
async function load(service: Service, answered: Answered, running: () => boolean): Promise<void> {
  for (let n = 0; running(); n++) {
    // A connection may break at any moment here: only what arrived counts.
    const answer = await service
      .request("/api/v1/risk/score", {
        json: { email: EMAILS[n % EMAILS.length] },
        signal: unanswered(),
      })
      .catch(() => null)
    const id = answer?.headers.get("x-decision-id") ?? null
    const body = (await answer?.json().catch(() => null)) as { risk_score?: number } | null
    if (id !== null && body?.risk_score !== undefined) answered.set(id, body.risk_score)
    if (PAUSE_MS > 0) await delay(PAUSE_MS)
  }
}

/**
 * A busy machine may take its time to give the first answer, and without one a kill would show
 * nothing.
 */
async function firstOf(answered: Answered): Promise<void> {
  while (answered.size === 0) await delay(10)
}

async function assertAllThere(service: Service, answered: Answered): Promise<void> {
  for (const [id, score] of answered) {
    // The connection a pool keeps may be to a process that has just been killed, and the new one
    // that follows may be handed to it before the primary knows.
    const ask = (): Promise<Response> =>
      service.request(`/api/v1/decisions/${id}`, { signal: unanswered() })
    const answer = await ask().catch(ask).catch(ask)
    assert.equal(answer.status, 200, `${id} is lost`)
    const decision = (await answer.json()) as DecisionDetails
    assert.equal(decision.reproduced, true)
    assert.equal(decision.assessment["risk_score"], score)
  }
}

test("kill -9 of everything under load: every decision id a client received can be read and repeated", async () => {
  const data = join(temporary, "all")
  const all: Answered = new Map()
  for (let round = 0; round < KILLS; round++) {
    const service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
    let running = true
    const answered: Answered = new Map()
    const loads = Array.from({ length: 4 }, () => load(service, answered, () => running))
    await firstOf(answered)
    await delay(300 + ((round * 7919) % 1700))
    await service.kill()
    running = false
    await Promise.all(loads)
    assert.ok(answered.size > 0)
    // Without a service: the last of them are in the journals only.
    const [last = ""] = [...answered.keys()].slice(-1)
    const replayed = await assay(["decisions", "replay", last], { ASSAY_DATA: data })
    assert.equal(replayed.code, 0, replayed.err)
    assert.match(replayed.out, /^same: /)

    const again = await startService({ dataDirectory: data })
    await assertAllThere(again, answered)
    assert.equal(await again.stop(), 0)
    for (const [id, score] of answered) all.set(id, score)
  }
  const last = await startService({ dataDirectory: data })
  await assertAllThere(last, all)
  await last.stop()
  assert.deepEqual(readdirSync(join(data, "journal")), [])
})

test("kill -9 of the primary alone: what its workers still answer is not lost either", async () => {
  const data = join(temporary, "primary")
  for (let round = 0; round < KILLS; round++) {
    const service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
    let running = true
    const answered: Answered = new Map()
    const loads = Array.from({ length: 4 }, () => load(service, answered, () => running))
    await firstOf(answered)
    await delay(300 + ((round * 7919) % 1300))
    process.kill(service.pid, "SIGKILL")
    // The next service starts while the workers of the last one finish.
    const again = await startService({ dataDirectory: data })
    running = false
    await Promise.all(loads)
    assert.ok(answered.size > 0)
    await service.kill()
    await assertAllThere(again, answered)
    assert.equal(await again.stop(), 0)
  }
})

test(
  "kill -9 of a worker under load: its decisions are read from the others at once",
  { skip: process.platform !== "linux" && "workers are found in /proc" },
  async () => {
    const service = await startService({ args: ["--workers", "2"] })
    const all: Answered = new Map()
    // One stays, so that somebody listens at all times.
    const [survivor] = childrenOf(service.pid)
    for (let round = 0; round < KILLS; round++) {
      let running = true
      const answered: Answered = new Map()
      const loads = Array.from({ length: 4 }, () => load(service, answered, () => running))
      try {
        await firstOf(answered)
        await delay(400)
        const victim = childrenOf(service.pid).find((worker) => worker !== survivor)
        assert.ok(victim !== undefined)
        process.kill(victim, "SIGKILL")
        // Those that were there by then: under load others come faster than they are read.
        await assertAllThere(service, new Map(answered))
      } finally {
        running = false
        await Promise.all(loads)
      }
      // Until the dead one is replaced.
      while (childrenOf(service.pid).length < 2) await delay(50)
      for (const [id, score] of answered) all.set(id, score)
    }
    await assertAllThere(service, all)
    await service.stop()
  },
)
