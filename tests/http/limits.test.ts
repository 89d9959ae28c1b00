import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { createKey } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
})
after(() => service.stop())

function freeKey(tenant: string): Promise<string> {
  return createKey(service, "--tenant", tenant, "--label", tenant)
}

async function score(key: string, email: string, on: Service = service): Promise<Response> {
  return await on.request("/api/v1/risk/score", {
    key,
    json: { email },
    headers: { connection: "close" },
  })
}

/** The lookups recorded for the key with this label, as the records have them now. */
async function recorded(data: string, tenant: string): Promise<number> {
  const records = await openRecordsOf(data)
  try {
    const tenantId = (await records.tenantByName(tenant))?.id ?? -1
    const today = dayOf(Date.now())
    return (await records.usage({ tenantId, from: today, to: today })).reduce(
      (sum, { count }) => sum + count,
      0,
    )
  } finally {
    await records.close()
  }
}

test("a free tenant gets its rate and then 429 with Retry-After and both RateLimit fields", async () => {
  const key = await freeKey("bursty")
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => score(key, `person${n % 5}@mail.example`)),
  )
  const admitted = answers.filter(({ status }) => status === 200)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(admitted.length >= 5 && admitted.length < 40, `${admitted.length} admitted`)
  assert.equal(
    admitted[0]?.headers.get("ratelimit-policy"),
    '"second";q=10;w=1, "month";q=1000;w=2592000',
  )
  assert.match(
    admitted[0].headers.get("ratelimit") ?? "",
    /^"second";r=\d+;t=1, "month";r=\d+;t=\d+$/,
  )
  assert.equal(refused?.headers.get("retry-after"), "1")
  assert.match(refused.headers.get("ratelimit") ?? "", /^"second";r=0;/)
  assert.equal(((await refused.json()) as { code: string }).code, "rate-limited")
})

test("who is over a limit or has no key waits a moment for the answer, on each connection", async () => {
  const key = await freeKey("impatient")
  const statuses: number[] = []
  const startedAt = performance.now()
  while (statuses.filter((status) => status === 429).length < 5)
    statuses.push((await score(key, "a@mail.example")).status)
  for (let n = 0; n < 5; n++) statuses.push((await score(`${key}x`, "a@mail.example")).status)
  assert.equal(statuses.filter((status) => status === 401).length, 5)
  // Timers may be a millisecond early; a busy machine only makes them later.
  assert.ok(performance.now() - startedAt > 10 * 99)
})

test("over ten seconds two workers together admit no more than the limit and two leases", async () => {
  const key = await freeKey("flooding")
  const end = Date.now() + 10_000
  let admitted = 0
  const flood = async (): Promise<void> => {
    while (Date.now() < end) {
      const { status } = await score(key, "ana.silva@mail.example")
      if (status === 200) admitted++
      else await delay(20)
    }
  }
  await Promise.all(Array.from({ length: 6 }, flood))
  assert.ok(admitted <= 100 + 2 * 5, `${admitted} admitted`)
  assert.ok(admitted >= 60, `only ${admitted} admitted: the limit bites too early`)
})

test("refused input costs the rate, and neither quota nor usage", async () => {
  const key = await freeKey("clumsy")
  const answers = await Promise.all(Array.from({ length: 60 }, () => score(key, "not an address")))
  const refused = answers.filter(({ status }) => status === 422)
  assert.ok(refused.length >= 5 && refused.length < 60, `${refused.length} were read`)
  assert.ok(answers.every(({ status }) => status === 422 || status === 429))
  await delay(1100)
  const { status, headers } = await score(key, "ana.silva@mail.example")
  assert.equal(status, 200)
  assert.match(headers.get("ratelimit") ?? "", /"month";r=999;/)
  await delay(1500)
  assert.equal(await recorded(service.dataDirectory, "clumsy"), 1)
})

test("a free tenant sees 100 different identities a day, and those again", async () => {
  const key = await freeKey("curious")
  const patient = async (email: string): Promise<Response> => {
    for (;;) {
      const answer = await score(key, email)
      if (
        answer.status !== 429 ||
        ((await answer.clone().json()) as { code: string }).code !== "rate-limited"
      )
        return answer
      await delay(300)
    }
  }
  for (let n = 0; n < 100; n++) assert.equal((await patient(`person${n}@mail.example`)).status, 200)
  const refused = await patient("one.more@mail.example")
  assert.equal(refused.status, 429)
  assert.equal(((await refused.json()) as { code: string }).code, "identities-exceeded")
  assert.ok(Number(refused.headers.get("retry-after")) <= 86_400)
  assert.equal((await patient("person7@mail.example")).status, 200)
  assert.equal((await patient("Person7+alias@mail.example")).status, 200)
})

test("an enterprise tenant is not limited and gets no RateLimit fields", async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => score(service.key ?? "", `x${n}@mail.example`)),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal(answers[0]?.headers.get("ratelimit"), null)
})

test("quota and usage survive a restart: counted exactly after a clean stop", async () => {
  const first = await startService({ dataDirectory: join(temporary, "restart") })
  const key = await createKey(first, "--tenant", "steady")
  for (let n = 0; n < 7; n++)
    assert.equal((await score(key, "ana.silva@mail.example", first)).status, 200)
  assert.equal(await first.stop(), 0)
  assert.equal(await recorded(first.dataDirectory, "steady"), 7)

  const second = await startService({ dataDirectory: first.dataDirectory })
  const { headers } = await score(key, "ana.silva@mail.example", second)
  assert.match(headers.get("ratelimit") ?? "", /"month";r=992;/)
  await second.stop()
})

test("the month's quota is its own problem, with Retry-After to the next month", async () => {
  const data = join(temporary, "quota")
  const key = await createKey({ dataDirectory: data }, "--tenant", "spent", "--label", "spent")
  const records = await openRecordsOf(data)
  const [spent] = await records.keys()
  await records.addUsage([
    { keyId: spent?.id ?? "", day: dayOf(Date.now()), operation: "email", count: 999 },
  ])
  await records.close()
  const limited = await startService({ dataDirectory: data })
  assert.equal((await score(key, "ana.silva@mail.example", limited)).status, 200)
  const refused = await score(key, "ana.silva@mail.example", limited)
  assert.equal(refused.status, 429)
  assert.equal(((await refused.json()) as { code: string }).code, "quota-exceeded")
  assert.ok(Number(refused.headers.get("retry-after")) > 1)
  await limited.stop()
})
