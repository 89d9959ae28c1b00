import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { DAY_MS } from "@assay/runtime/time"
import { isLearnableAddress, isLearnableServer } from "./learnable-servers.ts"
import { LEARNT_FILE, readLearnt, writeLearnt } from "./learnt-file.ts"
import { LearntServers } from "./learnt-servers.ts"
import { openMarkingServers } from "./marking-servers.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-learnt-"))
after(() => rmSync(temporary, { recursive: true }))

const today = Date.UTC(2026, 10, 16)
const SERVER = "mx.farm.example"

function learntFrom(hosts: number, nowMs = today): LearntServers {
  const learnt = new LearntServers()
  for (let n = 1; n <= hosts; n++) learnt.notice(SERVER, `burner${n}.example`, "listed", nowMs)
  return learnt
}

test("a server marks from its fifth disposable host on, and says when that changes", () => {
  const learnt = learntFrom(4)
  assert.equal(learnt.marks(SERVER, today), false)
  assert.equal(learnt.notice(SERVER, "burner1.example", "listed", today), false)
  assert.equal(learnt.marks(SERVER, today), false)
  assert.equal(learnt.notice(SERVER, "burner5.example", "listed", today), true)
  assert.equal(learnt.marks(SERVER, today), true)
  assert.equal(learnt.notice(SERVER, "burner6.example", "listed", today), false)
  assert.equal(learnt.marks("mx.other.example", today), false)
})

test("one guarded host is enough to say nothing, before or after the disposable ones", () => {
  const learnt = learntFrom(9)
  assert.equal(learnt.notice(SERVER, "university.example", "guarded", today), true)
  assert.equal(learnt.marks(SERVER, today), false)
  const early = new LearntServers()
  early.notice(SERVER, "university.example", "guarded", today)
  for (let n = 1; n <= 9; n++) early.notice(SERVER, `burner${n}.example`, "listed", today)
  assert.equal(early.marks(SERVER, today), false)
  assert.doesNotMatch(JSON.stringify(early.document()), /university/)
})

test("sightings expire after 90 days, one by one, and what is seen again stays", () => {
  const learnt = learntFrom(5)
  const later = today + 60 * DAY_MS
  for (let n = 1; n <= 4; n++) learnt.notice(SERVER, `burner${n}.example`, "listed", later)
  assert.equal(learnt.all(later)[0]?.until, "2027-02-14")
  assert.equal(learnt.marks(SERVER, today + 89 * DAY_MS), true)
  assert.equal(learnt.marks(SERVER, today + 90 * DAY_MS), false)
  assert.equal(learnt.expire(today + 90 * DAY_MS), true)
  assert.equal(learnt.expire(today + 90 * DAY_MS), false)
  assert.equal(learnt.all(today + 90 * DAY_MS)[0]?.hosts.length, 4)
  learnt.expire(today + 200 * DAY_MS)
  assert.deepEqual(learnt.all(today + 200 * DAY_MS), [])
})

test("an operator overrules a server for good, and may take that back", () => {
  const learnt = learntFrom(5)
  assert.equal(learnt.overrule(SERVER, true), true)
  assert.equal(learnt.overrule(SERVER, true), false)
  assert.equal(learnt.marks(SERVER, today), false)
  learnt.notice(SERVER, "burner6.example", "listed", today)
  assert.equal(learnt.marks(SERVER, today), false)
  assert.equal(learnt.overrule(SERVER, false), true)
  assert.equal(learnt.marks(SERVER, today), true)
})

test("what was learnt is written for its owner alone and read back the same; a damaged file is named", () => {
  const learnt = learntFrom(5)
  learnt.overrule("203.0.113.7", true)
  const directory = join(temporary, "kept")
  writeLearnt(directory, learnt)
  assert.deepEqual(readdirSync(directory), [LEARNT_FILE])
  assert.equal(statSync(join(directory, LEARNT_FILE)).mode & 0o777, 0o600)
  assert.deepEqual(readLearnt(directory).all(today), learnt.all(today))
  assert.deepEqual(readLearnt(join(temporary, "nowhere")).all(today), [])
  for (const damaged of ["", "{", "[]", '{"format":2}', '{"format":1,"servers":{"a":1}}']) {
    writeFileSync(join(directory, LEARNT_FILE), damaged)
    assert.throws(() => readLearnt(directory), { code: "lists" }, damaged)
  }
})

test("a host is not marked by a server of its own name, whatever other hosts point there", () => {
  const directory = join(temporary, "marking")
  writeLearnt(directory, learntFrom(5))
  const marking = openMarkingServers(directory, () => today)
  assert.equal(marking.markOf("fresh.example", ["mx.else.example", SERVER]), SERVER)
  assert.equal(marking.markOf("fresh.example", ["mx.else.example"]), null)
  for (const victim of ["farm.example", "mail.farm.example"])
    assert.equal(marking.markOf(victim, [SERVER]), null, victim)
  const learnt = readLearnt(directory)
  learnt.overrule(SERVER, true)
  writeLearnt(directory, learnt)
  assert.equal(marking.markOf("fresh.example", [SERVER]), SERVER)
  marking.reload()
  assert.equal(marking.markOf("fresh.example", [SERVER]), null)
})

test("servers that serve anybody, and addresses that are nobody's, are never learnt", () => {
  for (const name of [
    "aspmx.l.google.com",
    "acme-com.mail.protection.outlook.com",
    "route1.mx.cloudflare.net",
    "mx.zoho.eu",
    "localhost",
    "com",
  ])
    assert.equal(isLearnableServer(name), false, name)
  assert.equal(isLearnableServer("mx.farm.example"), true)
  for (const address of ["127.0.0.1", "10.1.2.3", "0.0.0.0", "169.254.1.1", "::1", "x"])
    assert.equal(isLearnableAddress(address), false, address)
  assert.equal(isLearnableAddress("203.0.113.7"), true)
})
