import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { createClient } from "@assay/client"
import { SourceList } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { Value } from "typebox/value"
import {
  importTestSegment,
  sampledKey,
  type TestRow,
  testSource,
} from "../../packages/corpus/testing/test-segments.ts"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import type { SourceDescription } from "../../packages/stores/src/exposure-index.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import { assay, createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"

const HELD = "held.everywhere@mail.example"
const INVENTED = "invented.person@mail.example"
const LISTED = "listed.person@mail.example"
const PRIVATE = "private.person@mail.example"
const NAMES = /zq-origin|zq-copy|zq-invented|zq-listed|zq-private|Zq title/

type Body = Record<string, unknown>

async function scored(service: Service, email: string, key = service.key): Promise<Body> {
  const answer = await service.request("/api/v1/risk/score?explain=true", { key, json: { email } })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Body
}

async function inputOf(service: Service, scoredBody: Body, key: string): Promise<string> {
  const { decision_id: id } = scoredBody["explanation"] as { decision_id: string }
  const answer = await service.request(`/api/v1/decisions/${id}?explain=true`, { key })
  assert.equal(answer.status, 200)
  return await answer.text()
}

function keyFor(service: Service, tenant: string, plan: string): Promise<string> {
  return createKey(service, "--tenant", tenant, "--plan", plan, "--scopes", "score,decisions:read")
}

async function listOf(service: Service, key: string | null, query = ""): Promise<SourceList> {
  const answer = await service.request(`/api/v1/sources${query}`, { key })
  assert.equal(answer.status, 200, await answer.clone().text())
  const list: unknown = await answer.json()
  assert.ok(Value.Check(SourceList, list))
  return list
}

/**
 * Imports into the index of a running service, as the command does, from another process than its
 * own.
 */
async function importAll({ dataDirectory }: Service): Promise<void> {
  const { subkeys } = openSecrets(join(dataDirectory, "secret"), false)
  const keyOf = (email: string): Uint8Array => {
    const parsed = parseEmail(email)
    if ("fault" in parsed) throw new Error(parsed.detail)
    return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
  }
  const people: TestRow[] = Array.from({ length: 60 }, (_, n) => ({
    key: sampledKey(n),
    fingerprint: n,
  }))
  // Recent: a repost counts as one for a year.
  const hours = 24 * Math.floor(Date.now() / DAY_MS - 10)
  const held: TestRow = { key: keyOf(HELD), fingerprint: 77, hours }
  const invented = { ...testSource.flags, fabricated: true }
  const index = await openLmdbIndex({ path: join(dataDirectory, "index") })
  const add = async (description: Partial<SourceDescription>, rows: TestRow[]): Promise<void> => {
    await importTestSegment(index, join(dataDirectory, "segments"), {
      description: { ...testSource, title: "Zq title", ...description },
      rows,
      at: Date.now(),
    })
  }
  await add({ name: "zq-origin", eventDate: "2019-05-01" }, [...people, held])
  await add({ name: "zq-copy", eventDate: "2023-02-01" }, [...people, held])
  await add({ name: "zq-invented", flags: invented, classes: ["payment"] }, [
    { key: keyOf(INVENTED), fingerprint: 5 },
  ])
  await add({ name: "zq-listed" }, [{ key: keyOf(LISTED) }])
  await add({ name: "zq-private", flags: { ...testSource.flags, sensitive: true } }, [
    { key: keyOf(PRIVATE), fingerprint: 5 },
  ])
  await index.close()
}

test("sources act as what they are, are shown as a plan may see them, and leave the next score when removed", async () => {
  await using service = await startService()
  const env = { ASSAY_DATA: service.dataDirectory }
  const own = await listOf(service, service.key)
  await importAll(service)
  const small = await keyFor(service, "small", "free")
  const trusted = await keyFor(service, "trusted", "enterprise")
  assert.equal((await assay(["tenants", "set", "trusted", "verified=true"], env)).code, 0)

  // Two sources, of which nobody knows yet that one is a copy of the other.
  const before = await scored(service, HELD)
  assert.deepEqual([before["exposure_count"], before["threat_stage"]], [2, "LEAKED"])
  const corrected = await assay(["corpus", "set", "zq-copy", "--as", "measured"], env)
  assert.match(corrected.out, /^circulation: origin, not measured → circulates older sources, /)
  const after = await scored(service, HELD)
  assert.deepEqual([after["exposure_count"], after["threat_stage"]], [2, "REPOSTED"])

  // An invented breach says no more than a list of addresses.
  const strip = ({ email: _, explanation: __, ...rest }: Body): Body => rest
  const invented = await scored(service, INVENTED)
  assert.deepEqual(strip(invented), strip(await scored(service, LISTED)))
  assert.equal(invented["exposed"], true)

  // A sensitive source acts for a verified tenant alone, and is listed for it alone.
  assert.equal((await scored(service, PRIVATE))["exposed"], false)
  assert.equal((await scored(service, PRIVATE, trusted))["exposed"], true)
  const named = (list: SourceList): (string | undefined)[] =>
    list.sources.slice(own.sources.length).map(({ name }) => name)
  const listed = await listOf(service, service.key)
  assert.deepEqual(named(listed), ["zq-origin", "zq-copy", "zq-invented", "zq-listed"])
  assert.ok(named(await listOf(service, trusted)).includes("zq-private"))
  const copy = listed.sources.find(({ name }) => name === "zq-copy")
  assert.deepEqual(
    [copy?.title, copy?.kind, copy?.event_date, copy?.rows, copy?.identities, copy?.circulates],
    ["Zq title", "breach", "2023-02-01", 61, 61, true],
  )
  // Whom it circulates, and how much of its sample that is.
  const circulation = copy?.circulation
  assert.ok(circulation)
  assert.equal(circulation.decided_by, "measured")
  assert.ok(circulation.known_identities >= 60)
  assert.deepEqual(circulation.origins, [
    { name: "zq-origin", identities: circulation.known_identities },
  ])
  const origin = listed.sources.find(({ name }) => name === "zq-origin")?.circulation
  assert.deepEqual([origin?.known_identities, origin?.origins], [0, []])

  // A plan that does not name sources finds no name anywhere.
  const unnamed = await listOf(service, small)
  assert.equal(unnamed.sources.length, listed.sources.length)
  assert.deepEqual(Object.keys(unnamed.sources.at(-1) ?? {}).sort(), [
    "acquired_date",
    "event_date",
    "identities",
    "imported_at",
    "kind",
    "published_date",
    "rows",
  ])
  const scoredAnswer = await scored(service, HELD, small)
  for (const text of [
    JSON.stringify([unnamed, scoredAnswer]),
    await inputOf(service, scoredAnswer, small),
  ])
    assert.doesNotMatch(text, NAMES)
  const known = await scored(service, HELD, trusted)
  assert.match(await inputOf(service, known, trusted), NAMES)

  // Nor a number that identifies a source elsewhere: they are counted within the one answer, and
  // along the list.
  const numbers = (text: string): string[] => [...new Set(text.match(/source \d+/g))].sort()
  for (const text of [JSON.stringify(scoredAnswer), await inputOf(service, scoredAnswer, small)])
    assert.deepEqual(numbers(text), ["source 1", "source 2"])
  assert.deepEqual(numbers(JSON.stringify(await scored(service, LISTED, small))), ["source 1"])
  const firstPage = await listOf(service, small, "?limit=2")
  assert.equal(firstPage.next, "2")
  const secondPage = await listOf(service, small, "?limit=2&after=2")
  assert.deepEqual([...firstPage.sources, ...secondPage.sources], unnamed.sources.slice(0, 4))

  // A decision made while the plan named sources is shown without names once it does not.
  assert.equal((await assay(["tenants", "set", "trusted", "plan=free"], env)).code, 0)
  const deadline = Date.now() + 300_000
  let past = ""
  do {
    assert.ok(Date.now() < deadline, "names are still told")
    await delay(500)
    past = await inputOf(service, known, trusted)
  } while (NAMES.test(past))
  assert.deepEqual(numbers(past), ["source 1", "source 2"])
  assert.equal((JSON.parse(past) as { reproduced: boolean }).reproduced, true)

  // Pages, asked for by the client too.
  const client = createClient({
    baseUrl: service.baseUrl,
    apiKey: service.key ?? "",
    timeoutMs: 120_000,
  })
  const paged: unknown[] = []
  let next: string | undefined
  for (let pages = 0; pages < 20; pages++) {
    const page = await client.listSources({
      limit: 2,
      ...(next === undefined ? {} : { after: next }),
    })
    paged.push(...page.sources)
    if (page.next === null) break
    next = page.next
  }
  assert.deepEqual(paged, listed.sources)
  for (const query of ["?limit=0", "?limit=101", "?after=0", "?after=x"])
    assert.equal((await service.request(`/api/v1/sources${query}`)).status, 400, query)
  assert.equal((await service.request("/api/v1/sources", { key: null })).status, 401)

  const segments = (): string[] =>
    readdirSync(join(service.dataDirectory, "segments")).filter((name) => name.endsWith(".parquet"))
  assert.equal(segments().length, 5)
  const removed = await assay(["corpus", "remove", "zq-origin", "--yes"], env)
  assert.equal(removed.code, 0, removed.err)
  assert.match(removed.out, /\nzq-copy counts as an origin now\.\n$/)
  const last = await scored(service, HELD)
  assert.deepEqual([last["exposure_count"], last["threat_stage"]], [1, "LEAKED"])
  assert.deepEqual(named(await listOf(service, service.key)), [
    "zq-copy",
    "zq-invented",
    "zq-listed",
  ])
  assert.equal(segments().length, 4)
})
