import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"

import { newDecisionId } from "../src/decision-id.ts"
import { DAY_MS } from "@assay/runtime/time"
import { type Decision, DECISION_FORMAT, type Decisions, ERASED_FORMAT } from "../src/decisions.ts"

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
