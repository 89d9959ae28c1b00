import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { login, signup, type Use } from "../../testing/context-events-suite.ts"
import { DAY_SECONDS, embeddedVelocity } from "./velocity.ts"

const START = Date.UTC(2026, 10, 14, 12) / 1000
const now = (): number => START * 1000
const few = fc.constantFrom("1", "2", "3")

test("counts are those of a plain list of all sign-ups, whatever happens in whatever windows", () => {
  const event = fc.record({
    mailbox: few,
    device: fc.option(few, { nil: undefined }),
    network: fc.option(few, { nil: undefined }),
    cluster: few,
    account: fc.option(few, { nil: undefined }),
    tenantId: fc.constantFrom(1, 2),
    pause: fc.integer({ min: 0, max: 5 * 3600 }),
    records: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let seconds = START
      const velocity = embeddedVelocity(() => seconds * 1000)
      const list: Use[] = []
      for (const { pause, records, ...given } of events) {
        seconds += pause
        const use = JSON.parse(JSON.stringify({ ...given, atSeconds: seconds })) as Use
        if (records) list.push(use)
        const counts = velocity.velocity(records ? signup(use) : login(use))
        const recent = list.filter(
          ({ tenantId, atSeconds }) =>
            tenantId === use.tenantId && atSeconds > seconds - DAY_SECONDS,
        )
        const among = (name: "device" | "network" | "cluster"): number | null =>
          use[name] === undefined
            ? null
            : new Set(recent.filter((one) => one[name] === use[name]).map(({ mailbox }) => mailbox))
                .size
        const own = recent.filter(({ mailbox }) => mailbox === use.mailbox)
        assert.deepEqual(
          [counts.device, counts.network, counts.cluster, counts.mailbox],
          [
            among("device"),
            among("network"),
            among("cluster"),
            new Set(own.map(({ account, mailbox }) => account ?? mailbox)).size,
          ],
        )
        assert.equal(counts.dropped, 0)
      }
    }),
    { numRuns: 500, seed: 48 },
  )
})

test("a full window takes no more members, says so, and harms no other window", () => {
  const velocity = embeddedVelocity(now, { entriesMax: 1000, membersMax: 3 })
  const at = (n: number): Use => ({ mailbox: `m${n}`, device: "d", atSeconds: START })
  for (let n = 1; n <= 3; n++) assert.equal(velocity.velocity(signup(at(n))).dropped, 0)
  const { device, mailbox, dropped } = velocity.velocity(signup(at(4)))
  assert.deepEqual([device, mailbox, dropped], [3, 1, 1])
  assert.equal(velocity.velocity(signup(at(2))).dropped, 0)
  assert.equal(velocity.velocity(signup({ ...at(4), device: "e" })).device, 1)
})

test("full memory pushes out the oldest sign-ups first, says so, and never grows", () => {
  const velocity = embeddedVelocity(now, { entriesMax: 20, membersMax: 1000 })
  const at = (n: number): Use => ({
    mailbox: `m${n}`,
    device: `d${n}`,
    // The first ten were yesterday.
    atSeconds: START - (n < 10 ? DAY_SECONDS - 1 : 0),
  })
  const dropped = []
  for (let n = 0; n < 20; n++) {
    dropped.push(velocity.velocity(signup(at(n))).dropped)
    assert.ok(velocity.size <= 20)
  }
  assert.deepEqual(dropped, [...Array<number>(10).fill(0), ...Array<number>(10).fill(2)])
  const known = (n: number): number | null =>
    velocity.velocity(login({ ...at(n), atSeconds: START })).device
  for (let n = 0; n < 10; n++) assert.equal(known(n), 0, `m${n}`)
  for (let n = 10; n < 20; n++) assert.equal(known(n), 1, `m${n}`)
})

test("what happened more than 47 hours ago is no longer held, and what happened since is", () => {
  const clock = { seconds: START }
  const velocity = embeddedVelocity(() => clock.seconds * 1000)
  for (let n = 0; n < 3000; n++)
    velocity.velocity(signup({ mailbox: `m${n}`, device: "d", atSeconds: START - n }))
  const held = velocity.size
  assert.ok(held === 3500)
  clock.seconds = START - 2999 + 47 * 3600
  velocity.forget()
  assert.equal(velocity.size, held)
  clock.seconds = START + 47 * 3600
  velocity.forget()
  // The first mailbox of all is the youngest, in its own window and in the device's.
  assert.equal(velocity.size, 2)
  clock.seconds++
  velocity.forget()
  assert.equal(velocity.size, 0)
})

test("a table that grows and shrinks loses nobody", () => {
  const velocity = embeddedVelocity(now)
  for (let n = 0; n < 20_000; n++)
    velocity.velocity(signup({ mailbox: `m${n}`, device: `d${n % 7000}`, atSeconds: START }))
  for (let n = 0; n < 7000; n += 97) {
    const { device } = velocity.velocity(login({ mailbox: "m", device: `d${n}`, atSeconds: START }))
    assert.equal(device, n < 6000 ? 3 : 2)
  }
})
