// What docs/operating.md says under "Backup of several nodes", followed on real engines.
import assert from "node:assert/strict"
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { execute, testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { startTestCluster, until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { explainedText, type Service, startNode } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, createKey } from "./assay.ts"

const temporary = temporaryDirectory()
const ERASED_LATER = "leaked-3@mail.example"
const ELSEWHERE =
  /1 segment of earlier imports is not in \S+, so .*, import on the one that has it, or copy it here/
const REPORTED = "reported@mail.example"

test("several nodes are restored from a copy of PostgreSQL and of each node's segments, on an empty cluster", async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const secret = join(temporary, "secret")
  writeFileSync(secret, `${"4d".repeat(32)}\n`, { mode: 0o600 })
  const first = await startTestCluster()
  context.after(() => first.stop())
  const url = await postgres.createDatabase()
  const settings = (databaseUrl: string, indexUrl: string) => ({
    DATABASE_URL: databaseUrl,
    ASSAY_INDEX_URL: indexUrl,
    ASSAY_INDEX_BUCKET_BITS: "6",
    ASSAY_INDEX_TIMEOUT_MS: "10000",
    ASSAY_SECRET_FILE: secret,
  })
  const env = settings(url, first.urls)
  const directory = (number: number, of = "node"): string => join(temporary, `${of}-${number}`)
  const tombstones = (number: number): string => join(temporary, `tombstones-${number}`)
  const start = async (number: number, with_: Record<string, string>, of = "node") =>
    await startNode({
      dataDirectory: directory(number, of),
      env: { ...with_, ASSAY_TOMBSTONES: tombstones(number) },
    })
  const nodes = [await start(0, env), await start(1, env)] as const
  context.after(() => Promise.all(nodes.map((node) => node.kill())))
  const at = (number: number) => ({ ...env, ASSAY_DATA: directory(number) })
  const place = { dataDirectory: directory(0), env }
  const key = await createKey(place, ...["--tenant", "one", "--plan", "enterprise"])
  const reporter = await createKey(place, ...["--tenant", "one", "--scopes", "all"])
  const admin = await createKey(place, ...["--service", "--scopes", "subjects:admin"])

  // Each node imports. Which source passes on what others had is measured over all segments, so the
  // second import is refused until those of the first node are there too.
  const importAt = async (number: number) => {
    const list = join(temporary, `list-${number}.txt`)
    const rows = Array.from({ length: 50 }, (_, n) => `leaked-${2 * n + number}@mail.example:pw\n`)
    writeFileSync(list, rows.join(""))
    const source = ["--source", `leak-${number}`, "--date", `2026-0${number + 3}-01`]
    return await assay(["corpus", "import", list, ...source], at(number))
  }
  const imported = await importAt(0)
  assert.equal(imported.code, 0, imported.err)
  const alone = await importAt(1)
  assert.equal(alone.code, 1)
  assert.match(alone.err, ELSEWHERE)
  assert.match(await explainedText(nodes[1], "leaked-1@mail.example", key), /"exposed":false/)
  cpSync(join(directory(0), "segments"), join(directory(1), "segments"), { recursive: true })
  const together = await importAt(1)
  assert.equal(together.code, 0, together.err)
  const report = await nodes[0].request("/api/v1/feedback", {
    key: reporter,
    json: { email: REPORTED, outcome: "takeover_confirmed" },
  })
  assert.equal(report.status, 202, await report.clone().text())
  const asked = ["leaked-0@mail.example", "leaked-1@mail.example", ERASED_LATER, REPORTED]
  const stranger = "nobody@mail.example"
  const decided = await decisionOf(nodes[1], "leaked-0@mail.example")
  await until(async () => (await statusOf(nodes[0], decided)) === 200)
  const before = await answers(nodes[1], [...asked, stranger])

  // Copied while the nodes run: the database as of one moment, then what each node has of its own.
  const copy = await copyOf(url)
  for (const number of [0, 1]) {
    const to = directory(number, "copy")
    mkdirSync(to)
    for (const name of ["segments", "lists", "models", "catalogue.json"])
      if (existsSync(join(directory(number), name)))
        cpSync(join(directory(number), name), join(to, name), { recursive: true })
  }
  // Whoever is erased from then on is in the tombstones of the node that was asked.
  await until(async () => {
    const json = { email: ERASED_LATER, reason: "subject_request" }
    return (await nodes[1].request("/api/v1/subjects/erase", { key: admin, json })).status === 200
  })

  // All is lost but the copies, the secret and the tombstones.
  await Promise.all(nodes.map((node) => node.kill()))
  await first.stop()
  for (const number of [0, 1]) rmSync(directory(number), { recursive: true })

  const second = await startTestCluster()
  context.after(() => second.stop())
  const restored = settings(copy, second.urls)
  const target = directory(0, "restored")
  mkdirSync(join(target, "segments"), { recursive: true, mode: 0o700 })
  for (const number of [0, 1]) {
    const from = join(directory(number, "copy"), "segments")
    for (const name of readdirSync(from))
      copyFileSync(join(from, name), join(target, "segments", name))
  }
  const rebuild = async () =>
    await assay(["corpus", "rebuild", "--lost-index"], {
      ...restored,
      ASSAY_DATA: target,
      ASSAY_TOMBSTONES: tombstones(0),
    })
  // The newest catalogue names all segments, and with one of them missing nothing is made.
  const [newest = 0] = [0, 1].toSorted((a, b) => catalogueOf(b).version - catalogueOf(a).version)
  copyFileSync(join(directory(newest, "copy"), "catalogue.json"), join(target, "catalogue.json"))
  const [taken = ""] = readdirSync(join(target, "segments"))
  renameSync(join(target, "segments", taken), join(temporary, taken))
  const refused = await rebuild()
  assert.equal(refused.code, 1)
  assert.match(refused.err, /segment/)
  renameSync(join(temporary, taken), join(target, "segments", taken))
  const rebuilt = await rebuild()
  assert.equal(rebuilt.code, 0, rebuilt.err)
  assert.match(rebuilt.out, /^100 rows of segments, /)

  // Every node with its tombstones: the erasure after the copy is carried out again.
  const again: Service[] = []
  context.after(() => Promise.all(again.map((node) => node.kill())))
  for (const number of [1, 0]) {
    // The second start is on a new directory, as the first node's other ones are gone.
    again.push(await start(number, restored, "restored"))
  }
  const status = async (): Promise<readonly { readonly id: string; readonly state: string }[]> => {
    const { out } = await assay(["cluster", "status", "--json"], {
      ...restored,
      ASSAY_DATA: target,
    })
    return (JSON.parse(out) as { nodes: { id: string; state: string }[] }).nodes
  }
  // Whoever had another name before will not come back.
  const running = async (): Promise<number> =>
    (await status()).filter(({ state }) => state === "running" || state === "behind").length
  await until(async () => (await running()) === 2)
  for (const { id, state } of await status()) {
    if (state === "running" || state === "behind") continue
    await until(async () => {
      const forgotten = await assay(["cluster", "forget", id], { ...restored, ASSAY_DATA: target })
      return forgotten.code === 0
    })
  }
  for (const node of again) {
    await until(async () => (await node.request("/readyz")).status === 200)
    const after = await answers(node, [...asked, stranger])
    for (const [n, email] of [...asked, stranger].entries())
      if (email !== ERASED_LATER) assert.equal(after[n], before[n], email)
    const erased = (JSON.parse(after[2] ?? "") as { threat_stage: string }).threat_stage
    assert.equal(erased, "CLEAN")
    await until(async () => (await statusOf(node, decided)) === 200)
    const response = await node.request(`/api/v1/decisions/${decided}`, { key: reporter })
    assert.equal(((await response.json()) as { reproduced: boolean }).reproduced, true)
  }
  const sources = await assay(["corpus", "sources"], { ...restored, ASSAY_DATA: target })
  for (const number of [0, 1]) assert.match(sources.out, new RegExp(`^leak-${number} `, "m"))

  async function answers(node: Service, emails: readonly string[]): Promise<string[]> {
    const texts: string[] = []
    for (const email of emails) texts.push(await explainedText(node, email, key))
    return texts
  }

  async function decisionOf(node: Service, email: string): Promise<string> {
    const response = await node.request("/api/v1/risk/score", { key: reporter, json: { email } })
    await response.text()
    return response.headers.get("x-decision-id") ?? assert.fail()
  }

  async function statusOf(node: Service, id: string): Promise<number> {
    const response = await node.request(`/api/v1/decisions/${id}`, { key: reporter })
    await response.text()
    return response.status
  }

  function catalogueOf(number: number): { readonly version: number } {
    const file = join(directory(number, "copy"), "catalogue.json")
    return JSON.parse(readFileSync(file, "utf8")) as { version: number }
  }
})

/**
 * What pg_dump and psql do, where there are no such programs: another database as of one moment.
 */
async function copyOf(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1)
  const elsewhere = new URL(url)
  elsewhere.pathname = "/postgres"
  const at = elsewhere.href
  await execute(at, `alter database ${name} allow_connections false`)
  await execute(
    at,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  )
  await until(() => execute(at, `create database ${name}_copy template ${name}`).then(() => true))
  await execute(at, `alter database ${name} allow_connections true`)
  const copied = new URL(url)
  copied.pathname = `/${name}_copy`
  return copied.href
}
