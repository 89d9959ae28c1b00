import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  type EventList,
  WATCH_DOMAINS_MAX,
  type ProblemDetails,
  type WatchList,
  type WatchListAdded,
  type WatchListLineResult,
} from "@assay/core/contract"
import {
  openTestNameServer,
  type Records,
} from "../../packages/server/testing/score/email/network/test-name-server.ts"
import { assay, createKey } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const data = join(temporary, "data")
const env = { ASSAY_DATA: data }
const PATH = "/api/v1/watchlist"

/** What the name server says; tests change it. */
const names: Record<string, Records> = {}
let dns = ""
let service: Service
let one: string
let other: string

async function start(): Promise<void> {
  service = await startService({ dataDirectory: data, env: { ASSAY_DNS: dns } })
}
before(async () => {
  dns = (await openTestNameServer(names)).address
  await start()
  one = await createKey(service, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  other = await createKey(service, "--tenant", "other", "--plan", "enterprise", "--scopes", "all")
})
after(() => service.stop())

async function add(json: object, key = one): Promise<WatchListAdded> {
  const response = await service.request(PATH, { key, json })
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as WatchListAdded
}

async function addLines(lines: readonly object[]): Promise<WatchListLineResult[]> {
  const response = await service.request(PATH, {
    ...{ method: "POST", key: one, headers: { "content-type": "application/x-ndjson" } },
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
  })
  assert.equal(response.status, 200)
  const text = await response.text()
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as WatchListLineResult)
}

async function list(key = one, query = ""): Promise<WatchList> {
  return (await (await service.request(PATH + query, { key })).json()) as WatchList
}

async function remove(json: object, key = one): Promise<unknown> {
  return await (await service.request(PATH, { method: "DELETE", key, json })).json()
}

async function exposures(key = one): Promise<EventList["events"]> {
  const response = await service.request("/api/v1/events?types=exposure.added", { key })
  return ((await response.json()) as EventList).events
}

async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (let n = 0; ; n++) {
    const value = await read()
    if (isSo(value)) return value
    assert.ok(n < 600, JSON.stringify(value))
    await delay(100)
  }
}

/** How many imports were gone through. */
async function batchesDone(): Promise<number> {
  const records = await openRecordsOf(data)
  const batches = await records.watchedBatches().finally(() => records.close())
  return batches.filter(({ done }) => done).length
}

let files = 0
async function importLines(lines: readonly string[], source: string): Promise<void> {
  const file = join(temporary, `file-${++files}.txt`)
  writeFileSync(file, `${lines.join("\n")}\n`)
  const args = ["corpus", "import", file, "--source", source]
  const { code, err } = await assay([...args, "--kind", "breach", "--date", "2026-10-02"], env)
  assert.equal(code, 0, err)
}

const isProved = ({ domains }: WatchList): boolean =>
  domains.every((each) => each.state === "proved")

test("a domain is watched once it is proved, and each import there is told by a count alone", async () => {
  const added = await add({ domains: [{ value: "Corp-One.Example", ref: "ours" }] })
  assert.deepEqual([added.added, added.already_existed], [1, 0])
  const [domain] = added.domains
  assert.ok(domain !== undefined)
  assert.deepEqual(
    [domain.domain, domain.ref, domain.state],
    ["corp-one.example", "ours", "pending"],
  )
  assert.equal(domain.dns?.name, "_assay-challenge.corp-one.example")
  assert.equal(domain.file.content, domain.dns.value)
  assert.match(domain.file.url, /^https:\/\/corp-one\.example\/\.well-known\//)
  // Another tenant gets another token, and what proves the domain for one proves it for no other.
  const [foreign] = (await add({ domains: ["corp-one.example"] }, other)).domains
  assert.notEqual(foreign?.file.content, domain.file.content)

  const lines = (mark: string): string[] => [
    `ana@corp-one.example:secret-${mark}`,
    `ANA@Corp-One.example:other-${mark}`,
    `ana+shop@corp-one.example:third-${mark}`,
    `bo.b@corp-one.example:${mark}`,
    `"c d"@corp-one.example:long password with spaces ${mark}`,
    `eve@sub.corp-one.example:secret-${mark}`,
    `eve@corp-two.example:secret-${mark}`,
  ]
  // Nothing is told of a domain that is not proved.
  await importLines(lines("early"), "early")
  names["_assay-challenge.corp-one.example"] = { TXT: [domain.dns.value] }
  // Asking again has it looked for at once, and changes nothing else.
  const again = await add({ domains: ["corp-one.example"] })
  assert.deepEqual([again.added, again.already_existed, again.domains[0]?.ref], [0, 1, "ours"])
  const proved = await eventually(() => list(), isProved)
  assert.deepEqual([proved.domains.length, proved.domains[0]?.proof, proved.total], [1, "dns", 0])
  assert.deepEqual((await list(one, "?ref=another")).domains, [])

  await importLines(lines("late"), "late")
  const [told, ...more] = await eventually(exposures, (events) => events.length > 0)
  assert.deepEqual(more, [])
  assert.deepEqual(told?.data, {
    ...{ ref: "ours", watched: "domain", source: "late", kind: "breach" },
    ...{ last_seen: "2026-10-02", identities: 3 },
  })
  // An import without anybody there tells nothing, and the next one with somebody does, after a
  // kill too.
  await importLines(["eve@corp-two.example:nobody-else"], "without")
  await service.kill()
  await importLines(["new.one@corp-one.example:while-away", "ana@corp-one.example:away-1"], "away")
  await start()
  const all = await eventually(exposures, (events) => events.length > 1)
  assert.deepEqual(
    all.map(({ data: said }) => [said["source"], said["identities"]]),
    [
      ["late", 3],
      ["away", 2],
    ],
  )
  assert.deepEqual(await exposures(other), [])
  assert.equal((await list(other)).domains[0]?.state, "pending")
  const records = await openRecordsOf(data)
  const kept = await records.eventsAfter({
    ...{ tenantId: (await records.tenantByName("one"))?.id ?? 0, after: 0, limit: 100 },
  })
  await records.close()
  assert.ok(!/corp-one|bo\.b|@/.test(JSON.stringify(kept)), "an event names somebody")

  assert.deepEqual(await remove({ domains: ["corp-one.example"] }, other), {
    ...{ deleted: 1, not_found: 0 },
  })
  assert.deepEqual(await remove({ domains: ["none.example"], refs: ["ours", "none"] }), {
    ...{ deleted: 1, not_found: 2 },
  })
  assert.deepEqual((await list()).domains, [])
  const before = await batchesDone()
  await importLines(lines("last"), "last")
  await eventually(batchesDone, (done) => done > before)
  assert.equal((await exposures()).length, 2)
})

test("what is no domain is refused by its place, and there may be so many", async () => {
  const refusal = async (json: object): Promise<[number, string | undefined]> => {
    const response = await service.request(PATH, { key: one, json })
    const { errors } = (await response.json()) as ProblemDetails
    return [response.status, errors?.[0]?.pointer]
  }
  for (const value of ["", "corp", "a@corp-one.example", "corp one.example", "[127.0.0.1]", "a..b"])
    assert.deepEqual(await refusal({ domains: ["ok.example", value] }), [400, "#/domains/1"], value)
  const named = { value: "ok.example", ref: "ana@mail.example" }
  assert.deepEqual(await refusal({ domains: [named] }), [400, "#/domains/0/ref"])
  const delivered = { value: "ok.example", deliver_identity: true }
  assert.equal((await refusal({ domains: [delivered] }))[0], 400)
  assert.deepEqual(await refusal({}), [400, "#"])
  assert.deepEqual((await list()).domains, [])
  const many = Array.from({ length: WATCH_DOMAINS_MAX }, (_, n) => `d${n}.example`)
  assert.equal((await add({ domains: many })).added, WATCH_DOMAINS_MAX)
  assert.equal((await refusal({ emails: ["x@mail.example"], domains: ["more.example"] }))[0], 409)
  assert.equal((await list()).total, 0)
  const full = await addLines([
    ...[{ domain: "more.example" }, { email: "x@mail.example" }, { domain: "d0.example" }],
  ])
  assert.deepEqual(
    full.map(({ status, problem }) => status ?? problem.status),
    [409, "added", 409],
  )
  await remove({ domains: many, emails: ["x@mail.example"] })
})

test("lines name domains among others, and each is answered in its place with what proves it", async () => {
  const results = await addLines([
    { email: "ana.silva@mail.example" },
    { domain: "Lines.Example", ref: "lines" },
    { domain: "no domain" },
    { domain: "two.example", email: "two@mail.example" },
    { domain: "two.example", deliver_identity: true },
    { domain: "two.example", ref: "ana@mail.example" },
    { phone_number: "+61491570156" },
    { domain: "lines.example" },
  ])
  assert.deepEqual(
    results.map(({ index }) => index),
    [0, 1, 2, 3, 4, 5, 6, 7],
  )
  assert.deepEqual(
    results.map(({ status, problem }) => status ?? problem.errors?.[0]?.pointer),
    [
      ...["added", "added", "#/domain", "#/email", "#/deliver_identity", "#/ref", "added"],
      "already_existed",
    ],
  )
  const { domains, total } = await list()
  assert.equal(total, 2)
  assert.deepEqual(
    domains.map(({ domain, ref, state }) => [domain, ref, state]),
    [["lines.example", "lines", "pending"]],
  )
  const proofs = results.map((result) => (result.problem === undefined ? result.domain : undefined))
  assert.deepEqual(
    [proofs[0], proofs[1]?.file, proofs[7]?.file],
    [undefined, domains[0]?.file, domains[0]?.file],
  )
  await remove({
    ...{ emails: ["ana.silva@mail.example"], phone_numbers: ["+61491570156"] },
    domains: ["lines.example"],
  })
})
