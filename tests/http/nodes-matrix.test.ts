// What three nodes answer while a part is away, on a real PostgreSQL and a cluster of six
// processes. The first has a small disk, the second a network of its own, the third a clock ten
// minutes ahead. docs/operating.md has the table of it; nodes.test.ts has nodes and PostgreSQL that
// are killed.
import assert from "node:assert/strict"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { layoutOf } from "../../packages/stores/src/redis/layout.ts"
import { until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { assayProgram } from "../../scripts/program.ts"
import { assay, createKey } from "../cli/assay.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { networkTo, type NodeNetwork } from "./node-network.ts"
import type { Service } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"
import { BUCKET_BITS, nodesForFile } from "./three-nodes.ts"

const temporary = temporaryDirectory()
/** Some on each primary of the cluster. All nodes are asked about them again and again. */
const KNOWN = process.env["ASSAY_SOAK"] === undefined ? 9 : 30
const AHEAD_MS = 600_000
/** Refused in time: far more than any limit of the service's own. */
const REFUSED_MS = 120_000
const disk = mountedDisk(24)
const networks: NodeNetwork[] = []
const nodes = await nodesForFile(temporary, {
  replicas: true,
  // A machine so busy that one of its processes waits for seconds must not be taken for a fault.
  nodeTimeoutMs: 5_000,
  async besides(number, { postgresUrl, clusterUrls }) {
    if (number === 2) {
      const clock = pathToFileURL(join(import.meta.dirname, "shifted-clock.ts")).href
      return { env: { CLOCK_OFFSET_MS: String(AHEAD_MS) }, nodeFlags: ["--import", clock] }
    }
    const { nodeFlags, ...network } = (networks[number] = await networkTo(postgresUrl, clusterUrls))
    // The first is stopped while it waits for an answer, for longer than its leases.
    const limit = number === 0 ? { ASSAY_INDEX_TIMEOUT_MS: "60000" } : {}
    const dataDirectory = number === 0 && disk !== null ? { dataDirectory: join(disk, "node") } : {}
    return { env: { ...network.env, ...limit }, nodeFlags, ...dataDirectory }
  },
})

/** A folder that is a small disk of its own; null where this user may not mount one. */
function mountedDisk(megabytes: number): string | null {
  const path = mkdtempSync(join(tmpdir(), "assay-disk-"))
  const size = ["-o", `size=${megabytes}m`]
  let isMounted = true
  try {
    execFileSync("mount", ["-t", "tmpfs", ...size, "tmpfs", path], { stdio: "pipe" })
  } catch {
    isMounted = false
  }
  after(() => {
    // Whoever has files open there keeps them until it ends.
    if (isMounted) execFileSync("umount", ["--lazy", path])
    rmdirSync(path)
  })
  return isMounted ? path : null
}

if (nodes !== null) {
  const { all, records, index, cluster } = nodes
  const network = networks[1] ?? assert.fail()
  const place = { dataDirectory: all[0].dataDirectory, env: nodes.env }
  const key = await createKey(place, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  const { id: tenantId } = (await records.tenantByName("one")) ?? assert.fail()
  const { subkeys } = openSecrets(nodes.env["ASSAY_SECRET_FILE"] ?? "", false)
  const layout = layoutOf("assay", BUCKET_BITS)
  const keyOf = (address: string): Uint8Array => {
    const email = parseEmail(address)
    if ("fault" in email) assert.fail()
    return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical)
  }
  const bucketOf = (address: string): string => layout.bucketKey(layout.bucketOf(keyOf(address)))

  /** Scores that were answered, each of which is charged once. */
  let answered = 0
  interface Answer {
    readonly status: number
    /** Without the id of the decision, which is beside it. */
    readonly text: string
    readonly decision: string | null
    /** Seconds; 0: nothing is said. */
    readonly retryAfter: number
  }
  const ask = async (node: Service, email: string): Promise<Answer> => {
    const response = await node.request("/api/v1/risk/score?explain=true", {
      key,
      json: { email },
      headers: { connection: "close" },
      signal: AbortSignal.timeout(REFUSED_MS),
    })
    const text = await response.text()
    if (response.status === 200) answered += 1
    return {
      status: response.status,
      text: text.replace(/"decision_id":("[^"]*"|null)/, '"decision_id":null'),
      decision: response.headers.get("x-decision-id"),
      retryAfter: Number(response.headers.get("retry-after")),
    }
  }
  const report = async (node: Service, email: string): Promise<Answer> => {
    const json = { email, outcome: "fraud_confirmed" }
    const signal = AbortSignal.timeout(REFUSED_MS)
    const response = await node.request("/api/v1/feedback", { key, json, signal })
    const text = await response.text()
    const retryAfter = Number(response.headers.get("retry-after"))
    return { status: response.status, text, decision: null, retryAfter }
  }
  const statusOf = async (node: Service, path: string): Promise<number> => {
    const signal = AbortSignal.timeout(REFUSED_MS)
    const response = await node.request(path, { key, signal })
    await response.text()
    return response.status
  }
  const assertRefused = ({ status, retryAfter, text }: Answer): void => {
    assert.equal(status, 503, text)
    assert.ok(retryAfter > 0, text)
  }
  for (const node of all) {
    await until(async () => (await ask(node, "nobody@mail.example")).status === 200)
  }

  const known = Array.from({ length: KNOWN }, (_, n) => `known-${n}@mail.example`)
  const evidence = await all[0].request("/api/v1/evidence", {
    key,
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: known
      .map((email) => ({ email, source: "own", kind: "stealer", observed_at: "2026-06-01" }))
      .map((line) => JSON.stringify(line))
      .join("\n"),
  })
  assert.equal((await evidence.text()).match(/"stored"/g)?.length, known.length)
  /** What each node says of each, while all is well. */
  const before = new Map<Service, ReadonlyMap<string, string>>()
  const remember = async (node: Service): Promise<void> => {
    const said = new Map<string, string>()
    for (const email of known) {
      const { status, text } = await ask(node, email)
      assert.equal(status, 200)
      assert.match(text, /"exposed":true/)
      said.set(email, text)
    }
    before.set(node, said)
  }
  await Promise.all(all.map(remember))
  /** Asks a node for all who are known: each answer is the one there was, or a refusal. */
  const askAll = async (
    node: Service,
  ): Promise<{ right: number; refused: string[]; why: string }> => {
    const refused: string[] = []
    const why = new Set<string>()
    for (const email of known) {
      const answer = await ask(node, email)
      // Whole answers would fill pages.
      if (answer.status === 200)
        assert.ok(answer.text === before.get(node)?.get(email), answer.text)
      else {
        assertRefused(answer)
        refused.push(email)
        why.add(answer.text)
      }
    }
    return { right: known.length - refused.length, refused, why: [...why].join("\n") }
  }
  const assertAllRight = async (node: Service): Promise<void> => {
    const { right, why } = await askAll(node)
    assert.equal(right, known.length, why)
  }
  const untilWell = async (node: Service): Promise<void> => {
    await until(async () => (await statusOf(node, "/readyz")) === 200)
    await until(async () => (await askAll(node)).refused.length === 0)
  }
  const untilAllWell = async (): Promise<void> => void (await Promise.all(all.map(untilWell)))
  /** Nobody anything is known of, whose place is on a node of the cluster. */
  const unknownOn = async (number: number): Promise<string> => {
    for (let n = 0; ; n++) {
      const email = `unknown-${n}@mail.example`
      if ((await cluster.nodeOf(bucketOf(email))) === number) return email
    }
  }
  const holderOf = async (name: string) =>
    (await records.leases()).find((lease) => lease.name === name)
  /** Decisions given while stores were away are found by the others, and are what was decided. */
  const assertFound = async (node: Service, ids: readonly (string | null)[]): Promise<void> => {
    for (const id of ids) {
      const path = `/api/v1/decisions/${id ?? assert.fail()}`
      await until(async () => (await statusOf(node, path)) === 200)
      const found = await node.request(path, { key })
      assert.equal(((await found.json()) as { reproduced: boolean }).reproduced, true)
    }
  }

  test("a node that was stopped in the middle of its work, for longer than its lease, finds that out when it goes on and tells nothing again", async () => {
    const [node, email] = [all[0], "watched@mail.example"]
    const id = await nodes.idOf(0)
    // Kept for this node, which takes at once what an earlier process of its own had.
    const kept = { name: "watch rounds", holder: id, forMs: 60_000 }
    const { fence } = (await records.takeLease(kept)) ?? assert.fail()
    const watched = { method: "POST", key, json: { emails: [email] } }
    const added = await all[2].request("/api/v1/watchlist", watched)
    assert.equal(added.status, 200, await added.clone().text())
    await until(async () => {
      const listed = await all[2].request("/api/v1/watchlist", { key })
      const { items } = (await listed.json()) as { items: { risk: unknown }[] }
      return items.length === 1 && items.every(({ risk }) => risk !== null)
    })
    const lease = (await holderOf("watch rounds")) ?? assert.fail()
    assert.ok(lease.holder === id && lease.fence > fence)
    const told = async (): Promise<number> =>
      (await records.eventsAfter({ tenantId, after: 0, limit: 100 })).filter(({ kind }) =>
        kind.startsWith("risk."),
      ).length
    const toldBefore = await told()
    const asked = networks[0]?.cluster.map((proxy) => proxy.holdAnswerTo(bucketOf(email)))
    assert.equal((await report(all[1], email)).status, 202)
    const letPass = await Promise.race(asked ?? [])
    process.kill(-node.pid, "SIGSTOP")
    try {
      await until(async () => ((await holderOf("watch rounds"))?.fence ?? 0) > lease.fence)
      await until(async () => (await told()) === toldBefore + 1)
      assert.doesNotMatch(node.stderr(), /lease-lost/)
    } finally {
      process.kill(-node.pid, "SIGCONT")
    }
    letPass()
    const found = /"code":"lease-lost".*"msg":"watch could not be applied"/
    await until(async () => found.test(node.stderr()))
    const others = (await holderOf("watch rounds")) ?? assert.fail()
    assert.notEqual(others.holder, id)
    await until(async () => (await statusOf(node, "/readyz")) === 200)
    assert.equal(await told(), toldBefore + 1)
  })

  test("a killed primary of the cluster is followed by its replica, and without one its part is refused and nobody's answer is wrong", async () => {
    // Not the one with the catalogue: then all would be refused.
    const meta = await cluster.nodeOf("assay:{meta}")
    const primary = (meta + 1) % 3
    const replica = primary + 3
    const there: string[] = []
    for (const email of known) {
      if ((await cluster.nodeOf(bucketOf(email))) === primary) there.push(email)
    }
    assert.ok(there.length > 0 && there.length < known.length)
    await cluster.nodes[primary]?.kill()
    const refused = new Set<string>()
    for (;;) {
      const rounds = await Promise.all(all.map(askAll))
      for (const each of rounds.flatMap((round) => round.refused)) refused.add(each)
      if (rounds.every((round) => round.refused.length === 0)) break
      await delay(200)
    }
    assert.ok(refused.size > 0)
    assert.deepEqual(new Set([...refused, ...there]), new Set(there))
    // A process finds its connection dead when it next needs it.
    const reported = await unknownOn(primary)
    for (const node of all) {
      await until(async () => (await report(node, reported)).status === 202)
    }

    await cluster.nodes[replica]?.kill()
    const assertPartRefused = async (node: Service): Promise<void> => {
      for (let again = 0; again < 2; again++) {
        for (const email of there) assertRefused(await ask(node, email))
        const { right, refused: now } = await askAll(node)
        assert.deepEqual([right, now], [known.length - there.length, there])
        assertRefused(await report(node, reported))
      }
    }
    await Promise.all(all.map(assertPartRefused))
    await cluster.nodes[replica]?.start()
    await untilAllWell()
    await cluster.nodes[primary]?.start()
    await cluster.replicated()
    await untilAllWell()
  })

  test("a node whose network to PostgreSQL is gone goes on scoring, refuses the rest in time, and comes back by itself", async () => {
    const [here, others] = [all[1], [all[0], all[2]]]
    const email = known[1] ?? assert.fail()
    network.postgres.swallow()
    const ids: (string | null)[] = []
    try {
      const refusal = report(here, email)
      const unready = statusOf(here, "/readyz")
      for (let again = 0; again < 3; again++) {
        await assertAllRight(here)
        ids.push((await ask(here, email)).decision)
      }
      assertRefused(await refusal)
      assert.equal(await unready, 503)
      assert.equal(await statusOf(here, `/api/v1/decisions/${newDecisionId(Date.now())}`), 503)
      for (const node of others) {
        await assertAllRight(node)
        assert.equal(await statusOf(node, "/readyz"), 200)
        await until(async () => (await report(node, "elsewhere@mail.example")).status === 202)
      }
    } finally {
      network.postgres.heal()
    }
    await untilAllWell()
    await until(async () => (await report(here, "elsewhere@mail.example")).status === 202)
    for (const node of others) await assertFound(node, ids)
  })

  test("a node whose network to the cluster is gone refuses scores in time and calls nobody clean, and comes back by itself", async () => {
    const here = all[1]
    for (const proxy of network.cluster) proxy.swallow()
    try {
      // Each is refused once it has waited, so all wait together.
      const refusals = known.map((email) => ask(here, email))
      const refusal = report(here, "refused@mail.example")
      const unready = statusOf(here, "/readyz")
      for (const each of await Promise.all([...refusals, refusal])) assertRefused(each)
      assert.equal(await unready, 503)
      for (const node of [all[0], all[2]]) await assertAllRight(node)
    } finally {
      for (const proxy of network.cluster) proxy.heal()
    }
    // The report was stored before it was refused; any node applies it.
    await until(async () => (await records.dueFeedback({ at: Date.now(), limit: 9 })).length === 0)
    await untilAllWell()
  })

  test("a node whose clock is ten minutes ahead answers like the others, and what it takes is dated by the database", async () => {
    const ahead = all[2]
    const { decision } = await ask(ahead, known[3] ?? "")
    for (const node of [all[0], all[1]]) await assertFound(node, [decision])
    const email = "dated@mail.example"
    for (const node of all) await until(async () => (await report(node, email)).status === 202)
    const now = await records.databaseTime()
    for (const each of await records.feedbackOf({ tenantId, identityKey: keyOf(email) })) {
      assert.ok(Math.abs(each.receivedAt - now) < AHEAD_MS / 2, `${each.receivedAt - now}`)
    }
    const status = await assay(["cluster", "status", "--json"], {
      ...nodes.env,
      ASSAY_DATA: all[0].dataDirectory,
    })
    const { nodes: listed } = JSON.parse(status.out) as {
      nodes: { id: string; clock_off_ms: number }[]
    }
    const off = new Map(listed.map(({ id, clock_off_ms: ms }) => [id, ms]))
    assert.ok(Math.abs(off.get(await nodes.idOf(2)) ?? 0) > AHEAD_MS / 2)
    assert.ok(Math.abs(off.get(await nodes.idOf(0)) ?? AHEAD_MS) < AHEAD_MS / 2)
    assert.match(ahead.stderr(), /clock/)
  })

  test("a node whose disk is full answers as before without keeping what it decided, says so, and keeps it again when there is room", async (t) => {
    if (disk === null) {
      t.skip("no right to mount a small disk")
      return
    }
    const here = all[0]
    const filler = join(disk, "filler")
    const { bavail, bsize } = statfsSync(disk)
    assert.throws(() => writeFileSync(filler, Buffer.alloc(bavail * bsize + bsize)), {
      code: "ENOSPC",
    })
    try {
      await until(async () => (await ask(here, known[4] ?? "")).decision === null)
      await assertAllRight(here)
      await until(async () => (await report(here, "elsewhere@mail.example")).status === 202)
      for (const node of [all[1], all[2]]) {
        await assertAllRight(node)
        const { decision } = await ask(node, known[4] ?? "")
        await assertFound(all[1], [decision])
      }
      await until(async () => /decisions could not be recorded/.test(here.stderr()))
    } finally {
      rmSync(filler)
    }
    await until(async () => (await ask(here, known[4] ?? "")).decision !== null)
    const { decision } = await ask(here, known[4] ?? "")
    await assertFound(all[2], [decision])
    await untilAllWell()
  })

  test("an import that was stopped for longer than its lease does not make its batch live, and the same command completes it", async () => {
    const list = join(temporary, "slow.txt")
    const lines = Array.from({ length: 40_000 }, (_, n) => `slow-${n}@mail.example:pw-${n}\n`)
    writeFileSync(list, lines.join(""))
    const command = ["corpus", "import", list, "--source", "slow", "--date", "2026-10-01"]
    const environment = { ...nodes.env, ASSAY_DATA: all[1].dataDirectory }
    const batchOf = async (name: string) => {
      const { batches, sources } = await index.catalogue()
      return [...batches.values()].find(({ sourceId }) => sources.get(sourceId)?.name === name)
    }
    const child = spawn(process.execPath, [...assayProgram(), ...command], {
      env: { ...bareEnvironment(), ...environment },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
    const ended = once(child, "close")
    const group = -(child.pid ?? assert.fail())
    await until(async () => (await batchOf("slow")) !== undefined)
    process.kill(group, "SIGSTOP")
    try {
      const elsewhere = { name: "import", holder: "node_elsewhere", forMs: 1 }
      await until(async () => (await records.takeLease(elsewhere)) !== null)
    } finally {
      process.kill(group, "SIGCONT")
    }
    assert.deepEqual((await ended)[0], 1)
    assert.match(said, /stopped for so long that another began/)
    assert.equal((await batchOf("slow"))?.state, "loading")
    assert.deepEqual((await index.lookup(keyOf("slow-7@mail.example"), null)).entries, [])
    const completed = await assay([...command, "--wait"], environment)
    assert.equal(completed.code, 0, completed.err)
    assert.equal((await index.lookup(keyOf("slow-7@mail.example"), null)).entries.length, 1)
  })

  test("an index is made anew from segments only while no node imports into it", async () => {
    const copied = join(temporary, "copied")
    // As the directory of a node that is stopped.
    cpSync(all[1].dataDirectory, copied, {
      recursive: true,
      filter: (path) => !path.endsWith(".sock"),
    })
    const environment = { ...nodes.env, ASSAY_DATA: copied, ASSAY_INDEX_NAME: "anew" }
    const elsewhere = { name: "import", holder: "node_elsewhere", forMs: 600_000 }
    const lease = (await records.takeLease(elsewhere)) ?? assert.fail()
    const command = ["corpus", "rebuild", "--lost-index"]
    const refused = await assay(command, environment)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /Another import runs \(on node_elsewhere\)/)
    await records.releaseLease(lease)
    const made = await assay(command, environment)
    assert.equal(made.code, 0, made.err)
    assert.equal(await holderOf("import"), undefined)
  })

  test("every score that was answered was charged once, and none that was refused", async () => {
    const DAY = 86_400_000
    const days = { from: dayOf(Date.now() - DAY), to: dayOf(Date.now() + DAY) }
    const charged = async (): Promise<number> =>
      (await records.usage({ tenantId, ...days })).reduce((sum, { count }) => sum + count, 0)
    await until(async () => (await charged()) >= answered)
    // It is written each second.
    await delay(3_000)
    assert.equal(await charged(), answered)
  })
}
