import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"

import { firstDecisionIdAt, newDecisionId, requestTagOf } from "../src/decision-id.ts"
import { DAY_MS } from "@assay/runtime/time"
import {
  type Decision,
  DECISION_FORMAT,
  type DecisionFilter,
  type Decisions,
  ERASED_FORMAT,
} from "../src/decisions.ts"

/** Decisions may be opened several times, one after the other. */
export type OpenDecisions = () => Promise<Decisions>

const noon = Date.UTC(2026, 10, 15, 12)
const soak = process.env["ASSAY_SOAK"] !== undefined

export function newDecision(changes: Partial<Decision> = {}): Decision {
  const at = changes.at ?? noon
  return {
    id: newDecisionId(at),
    at,
    tenantId: 1,
    keyId: "key_1",
    identityType: "email",
    identityKey: new Uint8Array(16).fill(7),
    modelVersion: "1.0",
    calibration: null,
    score: 17,
    stage: "CLEAN",
    confidence: "low",
    action: "allow",
    input: '{"as_of":"2026-11-15","checked":{"sources":0}}',
    format: DECISION_FORMAT,
    shadow: null,
    ...changes,
  }
}

/** Numbers below a bound, the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

const newestFirst = (a: Decision, b: Decision): number => (a.id < b.id ? 1 : -1)

function passes(decision: Decision, filter: DecisionFilter): boolean {
  const { identityType, stage, action, scores, identityKey, requestTag, from, until } = filter
  return (
    (identityType === undefined || decision.identityType === identityType) &&
    (stage === undefined || decision.stage === stage) &&
    (action === undefined || decision.action === action) &&
    (scores === undefined || (decision.score >= scores[0] && decision.score <= scores[1])) &&
    (identityKey === undefined || Buffer.compare(decision.identityKey, identityKey) === 0) &&
    (requestTag === undefined || decision.id.slice(14, 21) === requestTag) &&
    (from === undefined || decision.at >= from) &&
    (until === undefined || decision.at < until)
  )
}

/** What is left of a decision: its id, moment, tenant, key and kind of identity. */
function asErased(decision: Decision): Decision {
  return {
    ...decision,
    identityKey: new Uint8Array(),
    modelVersion: "",
    calibration: null,
    score: 0,
    stage: null,
    confidence: null,
    action: "",
    input: "",
    format: ERASED_FORMAT,
    shadow: null,
  }
}

const ids = (decisions: readonly Decision[]): string[] => decisions.map(({ id }) => id)

/** Counts by outcome and score, part by part as long as there are parts. */
export async function countAll(
  decisions: Pick<Decisions, "count">,
  of: { tenantId: number; from: number },
): Promise<{ counts: Record<string, number>; parts: number }> {
  const counts: Record<string, number> = {}
  for (let parts = 1, before: string | undefined; ; parts++) {
    const part = await decisions.count(before === undefined ? of : { ...of, before })
    for (const { count, ...outcome } of part.counts) {
      const name = outcomeName(outcome)
      counts[name] = (counts[name] ?? 0) + count
    }
    if (part.next === null) return { counts, parts }
    assert.ok(before === undefined || part.next < before, "each part is older than the one before")
    before = part.next
  }
}

/** How many decisions of a time were about each identity, by its key's first byte. */
export async function identitiesBetween(
  decisions: Pick<Decisions, "identities">,
  from: number,
  until: number,
): Promise<{ counts: Record<number, number>; parts: number }> {
  const counts: Record<number, number> = {}
  for (let parts = 1, before = firstDecisionIdAt(until); ; parts++) {
    const { keys, next } = await decisions.identities({ from, before })
    assert.equal(keys.length % 16, 0)
    for (let at = 0; at < keys.length; at += 16) {
      const first = keys[at] as number
      assert.ok(keys.subarray(at, at + 16).every((byte) => byte === first))
      counts[first] = (counts[first] ?? 0) + 1
    }
    if (next === null) return { counts, parts }
    assert.ok(next < before, "each part is older than the one before")
    before = next
  }
}

/** As `identitiesBetween`, from decisions. */
export function countsOfFirsts(decisions: readonly Decision[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { identityKey } of decisions) {
    const first = identityKey[0] as number
    counts[first] = (counts[first] ?? 0) + 1
  }
  return counts
}

/** As `countAll`, from decisions. */
export function countsOf(decisions: readonly Decision[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of decisions) counts[outcomeName(each)] = (counts[outcomeName(each)] ?? 0) + 1
  return counts
}

function outcomeName(one: Pick<Decision, "identityType" | "stage" | "action" | "score">): string {
  return `${one.identityType} ${one.stage} ${one.action} ${one.score}`
}

/** What this suite does not state, no caller may rely on. */
export function decisionsSuite(engine: string, newStore: () => Promise<OpenDecisions>): void {
  function onDecisions(
    name: string,
    body: (decisions: Decisions, open: OpenDecisions) => Promise<void>,
  ): void {
    test(`${engine}: ${name}`, async () => {
      const open = await newStore()
      const decisions = await open()
      try {
        await body(decisions, open)
      } finally {
        await decisions.close()
      }
    })
  }

  onDecisions("a decision comes back as it was added, to the byte", async (decisions) => {
    const email = newDecision({
      input: '{"as_of":"2026-11-15","source":"Ünïcode \\u0000 \\n 🎭","n":1e-7}',
      identityKey: Uint8Array.from({ length: 16 }, (_, n) => n * 17),
      calibration: "c0ffee",
    })
    const phone = newDecision({
      identityType: "phone",
      stage: null,
      confidence: null,
      tenantId: null,
    })
    await decisions.add([email, phone])
    assert.deepEqual(await decisions.find(email.id), email)
    assert.deepEqual(await decisions.find(phone.id), phone)
  })

  onDecisions("a shadow stays with its decision, and goes with it", async (decisions) => {
    const shadow = { version: 3, score: 71, stage: "TRADED", action: "step_up_auth" }
    const erased = new Uint8Array(16).fill(9)
    const [email, phone, plain, gone] = [
      newDecision({ shadow, input: '{"text":"no \\t tab"}' }),
      newDecision({ identityType: "phone", shadow: { ...shadow, stage: null }, at: noon + 1 }),
      newDecision({ at: noon + 2 }),
      newDecision({ at: noon + 3, shadow, identityKey: erased }),
    ] as const
    // One that is there first, so that the block is written anew.
    await decisions.add([plain])
    await decisions.add([email, phone, gone])
    assert.deepEqual(await decisions.list({ tenantId: 1, limit: 9 }), [gone, plain, phone, email])
    assert.deepEqual(await decisions.page({ after: email.id, limit: 1 }), [phone])
    const erasure = { identityKey: erased, tenantId: null, upTo: noon + 9 }
    assert.equal(await decisions.eraseIdentity(erasure), 1)
    assert.deepEqual(await decisions.find(gone.id), asErased(gone))
    assert.deepEqual(await decisions.find(email.id), email)
  })

  onDecisions("an id nobody was given finds nothing, in any month", async (decisions) => {
    await decisions.add([newDecision()])
    assert.equal(await decisions.find(newDecisionId(noon)), null)
    assert.equal(await decisions.find(newDecisionId(noon - 400 * DAY_MS)), null)
    assert.deepEqual(await decisions.list({ tenantId: 1, limit: 0 }), [])
  })

  onDecisions("nothing is there before the first decision", async (decisions) => {
    assert.equal(await decisions.find(newDecisionId(noon)), null)
    assert.deepEqual(await decisions.list({ tenantId: 1, limit: 10 }), [])
    assert.equal(await decisions.forgetBefore("2026-11-15"), 0)
    const identityKey = new Uint8Array(16)
    assert.equal(await decisions.eraseIdentity({ identityKey, tenantId: null, upTo: noon }), 0)
    assert.deepEqual(await decisions.ofIdentity({ identityKey, tenantId: null, limit: 9 }), [])
    await decisions.add([])
  })

  onDecisions("adding a decision again changes nothing", async (decisions) => {
    const first = newDecision()
    await decisions.add([first])
    await decisions.add([{ ...first, score: 99 }, newDecision({ at: noon + 1 })])
    assert.equal((await decisions.find(first.id))?.score, 17)
    assert.equal((await decisions.list({ tenantId: 1, limit: 10 })).length, 2)
  })

  onDecisions("what was added is there after closing and opening", async (decisions, open) => {
    const kept = newDecision()
    await decisions.add([kept])
    const again = await open()
    assert.deepEqual(await again.find(kept.id), kept)
    await again.close()
  })

  onDecisions(
    "a list is one tenant's, newest first, page by page over months",
    async (decisions) => {
      const moments = fc.integer({ min: Date.UTC(2026, 7, 1), max: noon })
      const owned = fc.record({ at: moments, tenantId: fc.integer({ min: 1, max: 3 }) })
      const added: Decision[] = []
      await fc.assert(
        fc.asyncProperty(
          fc.array(owned, { maxLength: 8 }),
          fc.integer({ min: 1, max: 3 }),
          fc.integer({ min: 1, max: 7 }),
          async (some, tenantId, limit) => {
            const more = some.map(newDecision)
            await decisions.add(more)
            added.push(...more)
            const expected = ids(added.filter((each) => each.tenantId === tenantId))
              .sort()
              .reverse()
            const pages: string[] = []
            for (let page = ["start"], before; page.length > 0; before = page.at(-1)) {
              page = ids(
                await decisions.list({
                  tenantId,
                  limit,
                  ...(before === undefined ? {} : { before }),
                }),
              )
              assert.ok(page.length <= limit)
              pages.push(...page)
            }
            assert.deepEqual(pages, expected)
          },
        ),
        { numRuns: soak ? 30 : 15, seed: 20_261_115 },
      )
    },
  )

  onDecisions(
    "forgetting takes every decision before the day and none of it",
    async (decisions) => {
      const day = Date.UTC(2026, 10, 15)
      const old = [day - 400 * DAY_MS, day - 40 * DAY_MS, day - 10 * DAY_MS, day - 1]
      const kept = [day, day + 1, day + 30 * DAY_MS]
      await decisions.add([...old, ...kept].map((at) => newDecision({ at })))
      assert.equal(await decisions.forgetBefore("2026-11-15"), old.length)
      const left = await decisions.list({ tenantId: 1, limit: 100 })
      assert.deepEqual(
        left.map(({ at }) => at),
        kept.toReversed(),
      )
      assert.equal(await decisions.forgetBefore("2026-11-15"), 0)
      // A month that is gone can come back, as when an old journal is found.
      await decisions.add([newDecision({ at: day - 40 * DAY_MS })])
      assert.equal((await decisions.list({ tenantId: 1, limit: 100 })).length, kept.length + 1)
    },
  )

  onDecisions(
    "erasing empties the decisions about an identity in every month and leaves their ids",
    async (decisions) => {
      const mine = new Uint8Array(16).fill(1)
      const other = newDecision()
      const erased = [
        newDecision({ identityKey: mine }),
        newDecision({ identityKey: mine, tenantId: 2 }),
        newDecision({ identityKey: mine, at: noon - 70 * DAY_MS }),
      ]
      const later = newDecision({ identityKey: mine, at: noon + DAY_MS })
      await decisions.add([...erased, other, later])
      const ofMine = { identityKey: mine, tenantId: null, limit: 9 }
      assert.deepEqual(ids(await decisions.ofIdentity({ ...ofMine, tenantId: 2 })), [erased[1]?.id])
      assert.equal((await decisions.ofIdentity(ofMine)).length, 4)

      const erasure = { identityKey: mine, tenantId: null, upTo: noon + DAY_MS - 1 }
      assert.equal(await decisions.eraseIdentity(erasure), 3)
      assert.equal(await decisions.eraseIdentity(erasure), 0)
      assert.deepEqual(ids(await decisions.list({ tenantId: 1, limit: 9 })), [later.id, other.id])
      assert.deepEqual(await decisions.list({ tenantId: 2, limit: 9 }), [])
      const [left] = await decisions.list({ tenantId: 2, limit: 9, erased: true })
      assert.deepEqual([left?.id, left?.format], [erased[1]?.id, ERASED_FORMAT])
      assert.deepEqual(ids(await decisions.ofIdentity(ofMine)), [later.id])

      // A journal that is read twice does not bring one back.
      await decisions.add(erased)
      for (const { id } of erased) {
        const left = await decisions.find(id)
        assert.ok(left)
        assert.equal(left.format, ERASED_FORMAT)
        assert.equal(left.input, "")
        assert.equal(left.identityKey.length, 0)
      }
    },
  )

  onDecisions("all of them are read page by page, over months", async (decisions) => {
    const all = [70, 40, 1, 0].map((days) => newDecision({ at: noon - days * DAY_MS }))
    await decisions.add(all)
    const seen: string[] = []
    for (let after: string | null = null; ;) {
      const page = await decisions.page({ after, limit: 3 })
      seen.push(...ids(page))
      after = page.at(-1)?.id ?? null
      if (page.length < 3) break
    }
    assert.deepEqual(seen, ids(all))
  })

  onDecisions("a list has what passes every part of its filter", async (decisions) => {
    const random = seeded(20_261_116)
    const keys = Array.from({ length: 20 }, (_, n) => new Uint8Array(16).fill(n + 1))
    const tags = Array.from({ length: 50 }, (_, n) => requestTagOf(new Uint8Array(32).fill(n)))
    const all = Array.from({ length: 600 }, (_, n) =>
      newDecision({
        at: noon - n * 3_600_000,
        id: newDecisionId(noon - n * 3_600_000, tags[random(30)]),
        tenantId: 1 + random(2),
        identityType: random(3) === 0 ? "phone" : "email",
        identityKey: keys[random(keys.length)] as Uint8Array,
        stage: [null, "CLEAN", "TESTED"][random(3)] ?? null,
        action: ["allow", "review", "block"][random(3)] as string,
        score: random(101),
      }),
    )
    await decisions.add(all)
    const filters: DecisionFilter[] = [
      {},
      { identityType: "phone" },
      { stage: "TESTED" },
      { action: "block" },
      { scores: [25, 49] },
      { scores: [100, 100] },
      { identityKey: keys[3] as Uint8Array },
      { from: noon - 100 * 3_600_000 },
      { until: noon - 500 * 3_600_000 },
      { from: noon - 300 * 3_600_000, until: noon - 200 * 3_600_000 },
      { identityType: "email", stage: "CLEAN", action: "review", scores: [0, 60] },
      { identityKey: keys[5] as Uint8Array, action: "allow", from: noon - 400 * 3_600_000 },
      ...["allow", "review", "block"].flatMap((action) =>
        [[0, 24] as const, [25, 59] as const, [20, 85] as const, [80, 100] as const].map(
          (scores) => ({ action, scores }),
        ),
      ),
      { identityType: "phone", stage: "TESTED", scores: [60, 79] },
      { requestTag: tags[4] as string },
      { requestTag: tags[5] as string, action: "allow", scores: [20, 80] },
      { requestTag: tags[6] as string, identityKey: keys[2] as Uint8Array },
      { requestTag: tags[7] as string, from: noon - 200 * 3_600_000 },
      { requestTag: tags[40] as string },
      { action: "none of these" },
    ]
    for (const filter of filters) {
      const expected = all.filter((each) => each.tenantId === 1 && passes(each, filter))
      // Several pages in any case.
      const limit = soak || expected.length < 60 ? 7 : 29
      const pages: Decision[] = []
      for (let before: string | undefined; ;) {
        const cursor = before === undefined ? {} : { before }
        const page = await decisions.list({ tenantId: 1, limit, ...filter, ...cursor })
        pages.push(...page)
        before = page.at(-1)?.id
        if (page.length < limit) break
      }
      assert.deepEqual(pages, expected.sort(newestFirst), JSON.stringify(filter))
      const forward: Decision[] = []
      for (let after = ""; ;) {
        const page = await decisions.list({ tenantId: 1, limit, ...filter, after })
        forward.push(...page)
        after = page.at(-1)?.id ?? ""
        if (page.length < limit) break
      }
      assert.deepEqual(forward, pages.reverse(), JSON.stringify(filter))
    }
  })

  onDecisions(
    "a reader that goes forward gets what was added since, and nothing twice",
    async (decisions) => {
      const days = [0, 20, 40].map((day) => noon - day * DAY_MS)
      const [newest, middle, oldest] = days.map((at) => newDecision({ at })) as [
        Decision,
        Decision,
        Decision,
      ]
      await decisions.add([oldest, middle])
      const of = { tenantId: 1, limit: 2 }
      assert.deepEqual(await decisions.list({ ...of, after: "" }), [oldest, middle])
      assert.deepEqual(await decisions.list({ ...of, after: middle.id }), [])
      await decisions.add([newest, newDecision({ at: noon, tenantId: 2 })])
      assert.deepEqual(await decisions.list({ ...of, after: middle.id }), [newest])
      assert.deepEqual(await decisions.list({ ...of, after: oldest.id }), [middle, newest])
      const within = { from: middle.at, until: newest.at }
      assert.deepEqual(await decisions.list({ ...of, after: "", ...within }), [middle])
      assert.deepEqual(await decisions.list({ ...of, after: middle.id, ...within }), [])
    },
  )

  onDecisions(
    "what comes late, again, is erased or forgotten changes nothing else",
    async (decisions) => {
      const random = seeded(4711)
      const keys = Array.from({ length: 9 }, (_, n) => new Uint8Array(16).fill(n + 1))
      const day = Date.UTC(2026, 10, 14)
      let known = new Map<string, Decision>()
      for (let round = 0; round < 25; round++) {
        const more = Array.from({ length: random(4) === 0 ? 300 : random(12) }, () =>
          newDecision({
            // Days in two months, and many of the same millisecond.
            at: day - random(40) * DAY_MS + random(5),
            identityKey: keys[random(keys.length)] as Uint8Array,
            input: `{"n":"${"x".repeat(random(2_000))}"}`,
          }),
        )
        const again = [...known.values()].filter(() => random(10) === 0)
        await decisions.add([...more, ...again.map((each) => ({ ...each, score: 99 }))])
        for (const each of more) known.set(each.id, each)
        if (round % 5 === 4) {
          const identityKey = keys[random(keys.length)] as Uint8Array
          const upTo = day - random(40) * DAY_MS
          const erased = [...known.values()].filter(
            (each) => each.at <= upTo && Buffer.compare(each.identityKey, identityKey) === 0,
          )
          const erasure = { identityKey, tenantId: null, upTo }
          assert.equal(await decisions.eraseIdentity(erasure), erased.length)
          for (const each of erased) known.set(each.id, asErased(each))
        }
        if (round === 12 || round === 20) {
          const first = day - (35 - round) * DAY_MS
          const kept = new Map([...known].filter(([, { at }]) => at >= first))
          const gone = known.size - kept.size
          assert.equal(
            await decisions.forgetBefore(new Date(first).toISOString().slice(0, 10)),
            gone,
          )
          known = kept
        }
        // After some additions, each erasure and each day forgotten.
        if (!soak && ![4, 9, 12, 14, 19, 20, 24].includes(round)) continue
        const expected = [...known.values()].sort(newestFirst)
        const all = await decisions.page({ after: null, limit: 10_000 })
        assert.deepEqual(all.reverse(), expected)
        const listed = await decisions.list({ tenantId: 1, limit: 10_000 })
        const left = expected.filter(({ format }) => format !== ERASED_FORMAT)
        assert.deepEqual(listed, left)
        for (const identityKey of keys) {
          const own = await decisions.ofIdentity({ identityKey, tenantId: null, limit: 10_000 })
          const wanted = left.filter((each) => Buffer.compare(each.identityKey, identityKey) === 0)
          assert.deepEqual(own, wanted)
        }
        for (const each of expected.slice(0, 20))
          assert.deepEqual(await decisions.find(each.id), each)
      }
    },
  )

  onDecisions(
    "whom decisions of a time were about is read part by part, of all tenants, without erased ones",
    async (decisions) => {
      const random = seeded(11)
      const keyOf = (n: number): Uint8Array => new Uint8Array(16).fill(n + 1)
      const gone = keyOf(3)
      // Two months, and more than is read at once.
      const made = Array.from({ length: 45_000 }, (_, n) =>
        newDecision({
          at: noon - n * 29_000,
          tenantId: random(4) === 0 ? null : 1 + random(3),
          identityType: random(5) === 0 ? "phone" : "email",
          identityKey: keyOf(random(200)),
          input: "{}",
        }),
      )
      await decisions.add(made)
      await decisions.eraseIdentity({ identityKey: gone, tenantId: null, upTo: noon })
      for (const [from, before] of [
        [noon - 10 * DAY_MS + 30_001, noon - 90 * 60_000],
        [0, noon + 1],
        [noon - DAY_MS, noon - DAY_MS],
        [noon + DAY_MS, noon + 2 * DAY_MS],
      ] as const) {
        const found = await identitiesBetween(decisions, from, before)
        const wanted = made.filter(
          ({ at, identityKey }) => at >= from && at < before && identityKey[0] !== gone[0],
        )
        assert.deepEqual(found.counts, countsOfFirsts(wanted), `${from} ${before}`)
        assert.ok(found.parts > (from === 0 ? 1 : 0))
      }
    },
  )

  onDecisions(
    "parts of a count add up to what a tenant has from a moment on, without erased ones",
    async (decisions) => {
      const random = seeded(7)
      const outcomes = [
        { identityType: "email", stage: "CLEAN", action: "allow" },
        { identityType: "email", stage: "TESTED", action: "block" },
        { identityType: "phone", stage: null, confidence: null, action: "step_up_auth" },
      ] as const
      const gone = new Uint8Array(16).fill(3)
      // Two months, and in the middle one tenant alone for many blocks.
      const made = Array.from({ length: 6_000 }, (_, n) =>
        newDecision({
          at: noon - 40 * DAY_MS + n * 576_000,
          ...outcomes[random(3)],
          tenantId: n > 1_500 && n < 5_000 ? 2 : 1 + random(2),
          identityKey: random(20) === 0 ? gone : new Uint8Array(16).fill(4),
          score: random(101),
        }),
      )
      for (let from = 0; from < made.length; from += 1_000)
        await decisions.add(made.slice(from, from + 1_000))
      const upTo = noon - 20 * DAY_MS
      await decisions.eraseIdentity({ identityKey: gone, tenantId: null, upTo })
      const left = made.filter(
        ({ identityKey, at }) => at > upTo || Buffer.compare(identityKey, gone) !== 0,
      )
      for (const tenantId of [1, 2])
        for (const from of [noon - 41 * DAY_MS, noon - 17 * DAY_MS - 1, made[5_500]?.at ?? 0]) {
          const own = left.filter((each) => each.tenantId === tenantId && each.at >= from)
          const { counts, parts } = await countAll(decisions, { tenantId, from })
          assert.deepEqual(counts, countsOf(own))
          // A part is a small piece of work, also where all of it is of others.
          assert.ok(parts >= own.length / 3_000, `${parts} parts of ${own.length}`)
        }
      const { parts } = await countAll(decisions, { tenantId: 1, from: noon - 41 * DAY_MS })
      assert.ok(parts >= 3, `${parts}`)
      assert.deepEqual((await countAll(decisions, { tenantId: 9, from: 0 })).counts, {})
      const later = await decisions.count({ tenantId: 1, from: noon + DAY_MS })
      assert.deepEqual(later, { counts: [], next: null })
    },
  )

  onDecisions("a tenant's erasure leaves what other tenants decided", async (decisions) => {
    const mine = new Uint8Array(16).fill(1)
    const [own, foreign] = [
      newDecision({ identityKey: mine }),
      newDecision({ identityKey: mine, tenantId: 2 }),
    ]
    await decisions.add([own, foreign])
    const erasure = { identityKey: mine, tenantId: 1, upTo: noon + DAY_MS }
    assert.equal(await decisions.eraseIdentity(erasure), 1)
    assert.deepEqual(await decisions.list({ tenantId: 1, limit: 9 }), [])
    assert.deepEqual(ids(await decisions.list({ tenantId: 2, limit: 9 })), [foreign.id])
  })
}
