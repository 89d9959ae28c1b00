import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { DomainCheck, DomainOverride, DomainOverrideList } from "@assay/core/contract"
import { assay, createKey, invite } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { joins, printedToken, tokenIn, type Visitor } from "./signed-in.ts"

const OVERRIDES = "/api/v1/lists/overrides"
const CHECK = "/api/v1/lists/check"

async function administrator(service: Service): Promise<Visitor> {
  return await joins(service, printedToken(service), "ada@people.example")
}

async function list(as: Visitor, query = ""): Promise<DomainOverrideList> {
  const { status, body } = await as.send<DomainOverrideList>("GET", `${OVERRIDES}${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** What a score says of the domain: its category and the lists that rests on. */
async function scored(service: Service, domain: string): Promise<[string | null, string[]]> {
  const response = await service.request("/api/v1/risk/score?explain=true", {
    json: { email: `anna.fischer@${domain}` },
  })
  assert.equal(response.status, 200)
  const { explanation } = (await response.json()) as {
    explanation: { domain: { category: string | null; origins: string[] } }
  }
  return [explanation.domain.category, explanation.domain.origins]
}

test("an override acts on the next score of every worker, is noted, and is gone when it is removed", async () => {
  await using service = await startService({ args: ["--workers", "2"] })
  const ada = await administrator(service)
  const before = await scored(service, "mailinator.com")
  assert.equal(before[0], "disposable")

  const added = await ada.send<DomainOverride>("POST", OVERRIDES, {
    domain: " MAILINATOR.com",
    category: "allow",
    note: "tests of ours, until March",
  })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const { id, changed_at: _changed, ...rest } = added.body
  assert.deepEqual(rest, {
    domain: "mailinator.com",
    category: "allow",
    note: "tests of ours, until March",
    list: "console.csv",
  })
  // A list of providers has it too, and nothing is held against it any more.
  for (let n = 0; n < 8; n++)
    assert.deepEqual(await scored(service, "mailinator.com"), ["free", ["console.csv"]])
  const file = join(service.dataDirectory, "lists", "console.csv")
  assert.equal(readFileSync(file, "utf8"), "mailinator.com,allow,tests of ours, until March\n")

  const check = await ada.send<DomainCheck>("POST", CHECK, { domain: "mx.mailinator.com" })
  assert.equal(check.status, 200)
  assert.equal(check.body.domain, "mx.mailinator.com")
  assert.deepEqual(check.body.verdict, ["free", "allowed"])
  const [own, ...shipped] = check.body.named_by
  assert.deepEqual(own, {
    lists: "own",
    list: "console.csv",
    says: "allow",
    domain: "mailinator.com",
    override_id: id,
  })
  assert.ok(shipped.length > 0)
  for (const each of shipped) assert.deepEqual([each.lists, each.override_id], ["shipped", null])
  // The command says the same.
  const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
  const { out } = await assay(["lists", "check", "mx.mailinator.com"], env)
  assert.match(out, /^mx\.mailinator\.com: free, allowed\n/)
  assert.equal(out.match(/^shipped /gm)?.length, shipped.length)

  const removed = await ada.send<DomainOverride>("DELETE", `${OVERRIDES}/${id}`)
  assert.deepEqual([removed.status, removed.body.id], [200, id])
  for (let n = 0; n < 8; n++) assert.deepEqual(await scored(service, "mailinator.com"), before)
  assert.equal(existsSync(file), false)
  const again = await ada.send("DELETE", `${OVERRIDES}/${id}`)
  assert.deepEqual([again.status, again.body.code], [404, "override-not-found"])

  const records = await openRecordsOf(service.dataDirectory)
  const trail = (await records.audit({ limit: 20 })).filter((e) => e.action.startsWith("lists."))
  await records.close()
  assert.deepEqual(
    trail.map(({ action, subject, detail }) => [action, subject, detail]).reverse(),
    [
      ["lists.override", "list:console", { domain: "mailinator.com", category: "allow" }],
      ["lists.remove-override", "list:console", { domain: "mailinator.com", category: "allow" }],
    ],
  )
  for (const { actor, requestId } of trail) {
    assert.match(actor, /^person:per_/)
    assert.notEqual(requestId, null)
  }
})

test("the list has origin and note of every line, by domain, in pages that go on where they ended", async () => {
  await using service = await startService({ args: ["--workers", "1"] })
  const ada = await administrator(service)
  const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
  const imported = join(service.dataDirectory, "spammers.txt")
  const domains = Array.from(
    { length: 120 },
    (_, n) => `spam-${String(n).padStart(3, "0")}.example`,
  )
  writeFileSync(imported, domains.join("\n"))
  const ran = await assay(
    ["lists", "import", imported, "--category", "toxic", "--note", "from our desk, 2026"],
    env,
  )
  assert.match(ran.out, /120 domains, toxic/)
  await ada.send("POST", OVERRIDES, { domain: "müller.example", category: "free" })

  const first = await list(ada, "?list=spammers.csv")
  assert.equal(first.overrides.length, 100)
  assert.deepEqual(
    new Set(first.overrides.map(({ category, note, list: from }) => [category, note, from].join())),
    new Set(["toxic,from our desk, 2026,spammers.csv"]),
  )
  // What was the last one is gone before the next page is asked for, and nothing is left out.
  const last = first.overrides.at(-1)
  await ada.send("DELETE", `${OVERRIDES}/${last?.id ?? ""}`)
  const second = await list(ada, `?list=spammers.csv&after=${first.next ?? ""}`)
  assert.equal(second.next, null)
  assert.deepEqual(
    [...first.overrides, ...second.overrides].map(({ domain }) => domain),
    domains,
  )
  assert.deepEqual(
    (await list(ada, "?category=free&list=console.csv")).overrides.map(({ domain, note }) => [
      domain,
      note,
    ]),
    [["xn--mller-kva.example", ""]],
  )
  const { lists } = await list(ada, "?limit=1")
  const counts = Object.fromEntries(lists.map((each) => [each.list, each.overrides]))
  assert.deepEqual([counts["spammers.csv"], counts["console.csv"]], [119, 1])
})

test("many at once are all kept", async () => {
  await using service = await startService({ args: ["--workers", "2"] })
  const ada = await administrator(service)
  const names = Array.from({ length: 12 }, (_, n) => `shop-${n}.example`)
  const answers = await Promise.all(
    names.map((domain) => ada.send("POST", OVERRIDES, { domain, category: "deny" })),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  const { overrides } = await list(ada, "?list=console.csv")
  assert.deepEqual(overrides.map(({ domain }) => domain).toSorted(), names.toSorted())
})

test("what is no domain or category, or a note of two lines, is refused, and a list that is broken is named", async () => {
  await using service = await startService({ args: ["--workers", "1"] })
  const ada = await administrator(service)
  for (const json of [
    { domain: "no domain", category: "deny" },
    { domain: "shop.example", category: "friend" },
    { domain: "shop.example", category: "deny", note: "one\nbad.example,deny" },
    { domain: "shop.example", category: "deny", note: "x".repeat(201) },
    { category: "deny" },
  ]) {
    const { status, body } = await ada.send("POST", OVERRIDES, json)
    assert.deepEqual([status, body.code], [400, "invalid-request"], JSON.stringify(json))
  }
  assert.equal((await ada.send("POST", CHECK, { domain: "no domain" })).status, 400)
  const lists = join(service.dataDirectory, "lists")
  assert.equal(existsSync(join(lists, "console.csv")), false)

  mkdirSync(lists, { recursive: true })
  writeFileSync(join(lists, "broken.csv"), "shop.example,friend\n")
  const refusals = [
    await ada.send("GET", OVERRIDES),
    await ada.send("POST", OVERRIDES, { domain: "shop.example", category: "deny" }),
    await ada.send("DELETE", `${OVERRIDES}/ovr_unknown`),
  ]
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.code], [409, "lists-unusable"])
    assert.match(String(body["detail"]), /^broken\.csv, line 1: the category must be one of/)
  }
  assert.equal(existsSync(join(lists, "console.csv")), false)
  // Scores go on by the lists as they were read.
  assert.equal((await scored(service, "mailinator.com"))[0], "disposable")
})

test("a service key of corpus:admin may, an owner and a key of a tenant may not", async () => {
  await using service = await startService({ args: ["--workers", "1"] })
  const link = await invite(service, "--tenant", "demo", "--role", "owner")
  const owner = await joins(service, tokenIn(link), "olga@people.example")
  const json = { domain: "shop.example", category: "allow" }
  assert.equal((await owner.send("GET", OVERRIDES)).status, 403)
  assert.equal((await owner.send("POST", OVERRIDES, json)).status, 403)
  assert.equal((await owner.send("POST", CHECK, { domain: "shop.example" })).status, 403)
  assert.equal((await service.request(OVERRIDES, { json })).status, 403)
  assert.equal(existsSync(join(service.dataDirectory, "lists", "console.csv")), false)

  const key = await createKey(service, "--service", "--scopes", "corpus:admin")
  const added = await service.request(OVERRIDES, { key, json })
  assert.equal(added.status, 201)
})
