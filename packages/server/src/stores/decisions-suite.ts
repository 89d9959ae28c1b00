import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"

import { newDecisionId } from "../decisions/decision-id.ts"
import { DAY_MS } from "../time.ts"
import { type Decision, DECISION_FORMAT, type Decisions } from "./decisions.ts"

/** Decisions may be opened several times, one after the other. */
export type OpenDecisions = () => Promise<Decisions>

const noon = Date.UTC(2026, 10, 15, 12)

export function newDecision(changes: Partial<Decision> = {}): Decision {
  const at = changes.at ?? noon
  return {
    id: newDecisionId(at),
    at,
    tenantId: 1,
    keyId: "key_1",
    subject: "email",
    identityKey: new Uint8Array(16).fill(7),
    modelVersion: "1.0",
    calibration: null,
    score: 17,
    stage: "CLEAN",
    confidence: "low",
    action: "allow",
    input: '{"as_of":"2026-11-15","checked":{"sources":0}}',
    format: DECISION_FORMAT,
    ...changes,
  }
}

const ids = (decisions: readonly Decision[]): string[] => decisions.map(({ id }) => id)

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
    const phone = newDecision({ subject: "phone", stage: null, confidence: null, tenantId: null })
    await decisions.add([email, phone])
    assert.deepEqual(await decisions.find(email.id), email)
    assert.deepEqual(await decisions.find(phone.id), phone)
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
    assert.equal(await decisions.eraseIdentity(new Uint8Array(16)), 0)
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
        { numRuns: 30, seed: 20_261_115 },
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
    "erasing takes an identity out of every month, for all tenants",
    async (decisions) => {
      const mine = new Uint8Array(16).fill(1)
      const other = newDecision()
      await decisions.add([
        newDecision({ identityKey: mine }),
        newDecision({ identityKey: mine, tenantId: 2 }),
        newDecision({ identityKey: mine, at: noon - 70 * DAY_MS }),
        other,
      ])
      assert.equal(await decisions.eraseIdentity(mine), 3)
      assert.equal(await decisions.eraseIdentity(mine), 0)
      assert.deepEqual(ids(await decisions.list({ tenantId: 1, limit: 9 })), [other.id])
      assert.deepEqual(await decisions.list({ tenantId: 2, limit: 9 }), [])
    },
  )
}
