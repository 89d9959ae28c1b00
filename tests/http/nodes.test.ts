import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { Decision } from "../../packages/stores/src/decisions.ts"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { effectiveEvidence } from "../../packages/server/src/intake/effective-evidence.ts"
import { until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { assay, createKey } from "../cli/assay.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { assayProgram } from "../../scripts/program.ts"
import { importsSuite } from "./nodes-imports-suite.ts"
import { explainedText, type Service } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"
import { nodesForFile } from "./three-nodes.ts"

const temporary = temporaryDirectory()
/** Enough that an import is killed while it merges them. */
const LEAKED = 60_000
/** For so long a key that was revoked may be believed, by what the service promises. */
const REVOKED_MS = 5_000
const nodes = await nodesForFile(temporary)

if (nodes !== null) {
  const { all, env, records, index } = nodes
  const [first] = all
  const place = { dataDirectory: first.dataDirectory, env }
  const key = await createKey(place, "--tenant", "one", "--plan", "enterprise", "--scopes", "all")
  const { id: tenantId } = (await records.tenantByName("one")) ?? assert.fail()
  await untilKnown(all, key)
  const { subkeys } = openSecrets(env["ASSAY_SECRET_FILE"] ?? "", false)
  const keyOf = (address: string): Uint8Array => {
    const email = parseEmail(address)
    if ("fault" in email) assert.fail()
    return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical)
  }
  const at = (n: number): Service => all[n % 3] as Service

  await importsSuite(nodes, key, temporary)

  const decide = async (node: Service, email = "ana.silva@mail.example"): Promise<string> => {
    const json = { email }
    const response = await node.request("/api/v1/risk/score", { key, json })
    assert.equal(response.status, 200)
    await response.text()
    return response.headers.get("x-decision-id") ?? assert.fail()
  }
  const statusOf = async (node: Service, id: string): Promise<number> => {
    const response = await node.request(`/api/v1/decisions/${id}`, { key })
    await response.text()
    return response.status
  }

  /** A node has a decision of another, and the pure function answers the same on its evidence. */
  const assertReproduced = async (node: Service, id: string): Promise<void> => {
    const found = await node.request(`/api/v1/decisions/${id}`, { key })
    assert.equal(found.status, 200)
    assert.equal(((await found.json()) as { reproduced: boolean }).reproduced, true)
  }

  test("the id that one node gave is found by every other at once, and one that nobody gave is not", async () => {
    for (let n = 0; n < 3; n++) {
      const id = await decide(at(n))
      for (const other of [at(n + 1), at(n + 2)]) await assertReproduced(other, id)
    }
    assert.equal(await statusOf(at(1), newDecisionId(Date.now())), 404)
    assert.equal(await statusOf(at(1), newDecisionId(Date.now() - 3_600_000)), 404)
  })

  test("a review of what one node decided is found by its id at every other at once", async () => {
    for (let n = 0; n < 3; n++) {
      const id = await decide(at(n), "sofia.rossi@mail.example")
      for (const other of [at(n + 1), at(n + 2)]) {
        const found = await other.request(`/api/v1/review/${id}`, { key })
        assert.equal(found.status, 200)
        assert.equal(((await found.json()) as { state: string }).state, "waiting")
      }
      const json = { assignee: "me" }
      const assigned = await at(n + 1).request(`/api/v1/review/${id}/assign`, { key, json })
      assert.equal(assigned.status, 200)
    }
    const none = `/api/v1/review/${newDecisionId(Date.now())}`
    assert.equal((await at(1).request(none, { key })).status, 404)
  })

  test("what several nodes decide at once is stored once each, found and counted by all", async () => {
    const fresh = await createKey(
      place,
      ...["--tenant", "many", "--plan", "enterprise", "--scopes", "all"],
    )
    await untilKnown(all, fresh)
    // Once a node knows that nobody gave an id, all have brought theirs into the store.
    const allIn = async (): Promise<void> =>
      assert.equal(await statusOf(at(2), newDecisionId(Date.now())), 404)
    await allIn()
    const before = await decisionsOf(fresh)
    const given = new Set(before)
    const asked = Array.from({ length: 240 }, async (_, n) => {
      const json = { email: `somebody-${n % 40}@mail.example` }
      const response = await at(n).request("/api/v1/risk/score", { key: fresh, json })
      await response.text()
      if (response.status === 200) given.add(response.headers.get("x-decision-id") ?? "")
    })
    await Promise.all(asked)
    assert.ok(given.size > 100, `${given.size}`)
    await allIn()
    assert.deepEqual(new Set(await decisionsOf(fresh)), given)
    assert.equal((await decisionsOf(fresh)).length, given.size)
  })

  /** Every decision of a key's tenant, page by page. */
  async function decisionsOf(by: string): Promise<string[]> {
    const ids: string[] = []
    for (let cursor = ""; ;) {
      const path = `/api/v1/decisions?limit=100${cursor === "" ? "" : `&before=${cursor}`}`
      const response = await at(1).request(path, { key: by })
      assert.equal(response.status, 200, await response.clone().text())
      const page = ((await response.json()) as { decisions: Pick<Decision, "id">[] }).decisions
      ids.push(...page.map(({ id }) => id))
      cursor = page.at(-1)?.id ?? ""
      if (page.length < 100) return ids
    }
  }

  test("reports that nodes take at once about one identity all act, and are undone by any", async () => {
    const email = "reported@mail.example"
    const outcomes = [
      "fraud_confirmed",
      "takeover_confirmed",
      "not_fraud",
      "ownership_verified",
    ] as const
    const send = async (n: number): Promise<string> => {
      const json = { email, outcome: outcomes[n % 4], ...(n % 8 === 1 && { loss: 10 }) }
      const response = await at(n).request("/api/v1/feedback", { key, json })
      assert.equal(response.status, 202, await response.clone().text())
      return ((await response.json()) as { id: string }).id
    }
    for (let round = 0; round < 4; round++) {
      const ids = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => await send(n + round)),
      )
      const undone = ids.filter((_, n) => n % 3 === round % 3)
      await Promise.all(
        undone.map(async (id, n) => {
          const { status } = await at(n + 1).request(`/api/v1/feedback/${id}`, {
            method: "DELETE",
            key,
          })
          assert.equal(status, 204)
        }),
      )
      await assertFollowsReports(email)
    }
    const said = await Promise.all(all.map(async (node) => await explainedText(node, email, key)))
    assert.equal(new Set(said).size, 1)
  })

  /** The index says of an identity exactly what follows from all reports there are. */
  async function assertFollowsReports(email: string): Promise<void> {
    const identity = { tenantId, identityKey: keyOf(email) }
    const reports = await records.feedbackOf(identity)
    // Two of one day are one entry.
    const wanted = new Set(effectiveEvidence(reports, Date.now()).map(({ kind }) => kind))
    const { entries, catalogue } = await index.lookup(identity.identityKey, tenantId)
    const found = entries.filter(({ batchId }) => {
      const { sourceId } = catalogue.batches.get(batchId) ?? assert.fail()
      return catalogue.sources.get(sourceId)?.name === "feedback"
    })
    assert.deepEqual(new Set(found.map(({ kind }) => kind)), wanted)
  }

  test("one report sent to all nodes under one name is stored once and answered alike", async () => {
    const json = { email: "repeated@mail.example", outcome: "fraud_confirmed" }
    const headers = { "idempotency-key": "nodes-1" }
    const send = async (node: Service): Promise<string> => {
      let text = ""
      // A request that is carried out at this moment is to be sent again.
      await until(async () => {
        const response = await node.request("/api/v1/feedback", { key, json, headers })
        text = await response.text()
        return response.status === 202
      })
      return text
    }
    const answers = await Promise.all([...all, ...all].map(send))
    assert.equal(new Set(answers).size, 1)
    const identity = { tenantId, identityKey: keyOf(json.email) }
    assert.equal((await records.feedbackOf(identity)).length, 1)
  })

  test("evidence that nodes take at once is all in the index when it is acknowledged", async () => {
    const address = (n: number): string => `sent-${n}@mail.example`
    const send = async (n: number): Promise<void> => {
      const line = {
        email: address(n % 5),
        source: `list-${n % 4}`,
        kind: "breach",
        observed_at: `2026-0${1 + (n % 9)}-01`,
      }
      const response = await at(n).request("/api/v1/evidence", {
        key,
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: JSON.stringify(line),
      })
      const text = await response.text()
      assert.equal(response.status, 200, text)
      assert.match(text, /"(stored|known)"/, text)
    }
    await Promise.all(Array.from({ length: 60 }, async (_, n) => await send(n)))
    for (let n = 0; n < 5; n++) {
      const kept = (await records.evidenceAfter({ after: null, identities: 1_000 })).filter(
        ({ identityKey: each }) => Buffer.compare(each, keyOf(address(n))) === 0,
      )
      const { entries } = await index.lookup(keyOf(address(n)), tenantId)
      assert.equal(entries.filter(({ kind }) => kind === "breach").length, kept.length)
      assert.ok(kept.length > 0)
    }
    await until(async () => (await records.ownersWithDueEvidence()).length === 0)
  })

  test("a key revoked at one node is refused by all five seconds later", async () => {
    const gone = await createKey(place, "--tenant", "one")
    await untilKnown(all, gone)
    const keys = (await records.keys()).filter(({ revokedAt }) => revokedAt === null)
    const newest = keys.toSorted((a, b) => b.createdAt - a.createdAt)[0] ?? assert.fail()
    const revoked = await assay(["keys", "revoke", newest.id], {
      ...env,
      ASSAY_DATA: first.dataDirectory,
    })
    assert.equal(revoked.code, 0, revoked.err)
    const asked = async (node: Service): Promise<number> => {
      const json = { email: "ana.silva@mail.example" }
      return (await node.request("/api/v1/risk/score", { key: gone, json })).status
    }
    // Whoever cannot ask the records on a busy machine refuses too, with 503.
    await delay(REVOKED_MS)
    for (const status of await Promise.all(all.map(asked))) assert.ok([401, 503].includes(status))
    for (const node of all) await until(async () => (await asked(node)) === 401)
  })

  const erase = async (node: Service, email: string): Promise<number> => {
    const json = { email, reason: "subject_request" }
    const response = await node.request("/api/v1/subjects/erase", { key, json })
    await response.text()
    return response.status
  }

  test("an erasure on one node reaches what another has decided a moment ago", async () => {
    const email = "erased@mail.example"
    const ids: string[] = []
    for (const node of all) {
      const response = await node.request("/api/v1/risk/score", { key, json: { email } })
      await response.text()
      ids.push(response.headers.get("x-decision-id") ?? assert.fail())
    }
    assert.equal(await erase(at(0), email), 200)
    for (const [n, id] of ids.entries()) assert.equal(await statusOf(at(n + 1), id), 410)
  })

  test("one import runs at a time over all nodes, and one that was killed is completed by another", async () => {
    const list = join(temporary, "list.txt")
    const lines = Array.from({ length: LEAKED }, (_, n) => `leaked-${n}@mail.example:pw-${n}\n`)
    writeFileSync(list, lines.join(""))
    const command = [...["corpus", "import", list, "--source", "leak"], ...["--date", "2026-10-01"]]
    const of = (number: number) => ({ ...env, ASSAY_DATA: at(number).dataDirectory })
    const elsewhere = { name: "import", holder: "node_elsewhere", forMs: 600_000 }
    const lease = (await records.takeLease(elsewhere)) ?? assert.fail()
    const refused = await assay(command, of(1))
    assert.equal(refused.code, 1)
    assert.match(refused.err, /Another import runs \(on node_elsewhere\)/)
    await records.releaseLease(lease)

    const killed = spawn(process.execPath, [...assayProgram(), ...command], {
      env: { ...bareEnvironment(), ...of(0) },
      stdio: "ignore",
      detached: true,
    })
    const ended = once(killed, "exit")
    const batch = async () => {
      const { batches, sources } = await index.catalogue()
      return [...batches.values()].find(({ sourceId }) => sources.get(sourceId)?.name === "leak")
    }
    await until(async () => (await batch()) !== undefined)
    process.kill(-(killed.pid ?? assert.fail()), "SIGKILL")
    await ended
    assert.equal((await batch())?.state, "loading")
    const leaked = keyOf("leaked-7@mail.example")
    assert.deepEqual((await index.lookup(leaked, null)).entries, [])
    const completed = await assay([...command, "--wait"], of(1))
    assert.equal(completed.code, 0, completed.err)
    assert.equal((await index.lookup(leaked, null)).entries.length, 1)
    // Again, from the first node: it is known there too.
    const again = await assay(command, of(0))
    assert.equal(again.code, 0, again.err)
    assert.deepEqual(
      (await records.leases()).filter(({ name }) => name === "import"),
      [],
    )
    const sources = await assay(["corpus", "sources"], of(2))
    assert.match(sources.out, /^leak /m)
    for (const node of all) {
      const text = await explainedText(node, "leaked-7@mail.example", key)
      assert.match(text, /"exposed":true/)
    }
  })

  test("a node that is stopped for longer than its leases loses them, and its decisions are not called missing", async () => {
    await until(async () => (await records.leases()).length > 0)
    const lease = (await records.leases())[0] ?? assert.fail()
    const names = await Promise.all(([0, 1, 2] as const).map((n) => nodes.idOf(n)))
    const number = names.indexOf(lease.holder)
    assert.ok(number >= 0, lease.holder)
    const [stopped, other] = [at(number), at(number + 1)]
    const id = await decide(stopped)
    process.kill(-stopped.pid, "SIGSTOP")
    try {
      assert.ok([200, 503].includes(await statusOf(other, id)))
      // What nobody can know now may be a decision of the one that is stopped.
      const unknown = newDecisionId(Date.now())
      await until(async () => (await statusOf(other, unknown)) === 503)
      // Nobody can say that nothing of a person is left.
      assert.equal(await erase(other, "waiting@mail.example"), 503)
      const taken = async (): Promise<boolean> =>
        (await records.leases()).some(
          ({ name, holder, fence }) =>
            name === lease.name && holder !== lease.holder && fence > lease.fence,
        )
      await until(taken)
      assert.equal(await records.renewLease(lease, 1).catch(() => false), false)
    } finally {
      process.kill(-stopped.pid, "SIGCONT")
    }
    await until(async () => (await statusOf(other, id)) === 200)
    await until(async () => (await statusOf(other, newDecisionId(Date.now()))) === 404)
    await until(async () => (await stopped.request("/readyz")).status === 200)
    const holder = (await records.leases()).find(({ name }) => name === lease.name)?.holder
    assert.notEqual(holder, lease.holder)
  })

  test("what a killed node acknowledged is completed by the others, and its decisions when it is back", async () => {
    const email = "killed@mail.example"
    const json = { email, outcome: "fraud_confirmed" }
    const acknowledged: string[] = []
    const decided: string[] = []
    let running = true
    const report = async (n: number): Promise<void> => {
      while (running) {
        try {
          const node = at(n)
          const response = await node.request("/api/v1/feedback", { key, json })
          const { id } = (await response.json()) as { id?: string }
          if (response.status === 202) acknowledged.push(id ?? assert.fail())
          if (n === 1) decided.push(await decide(node))
        } catch {
          await delay(20)
        }
      }
    }
    const reporting = [0, 1, 2].map(report)
    await until(async () => decided.length > 5)
    await at(1).kill()
    await delay(300)
    running = false
    await Promise.all(reporting)
    const identity = { tenantId, identityKey: keyOf(email) }
    const stored = new Set((await records.feedbackOf(identity)).map(({ id }) => id))
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
    await until(async () => (await records.dueFeedback({ at: Date.now(), limit: 9 })).length === 0)
    await assertFollowsReports(email)
    for (const id of decided.slice(-2)) assert.ok([200, 503].includes(await statusOf(at(0), id)))
    await nodes.restart(1)
    for (const id of decided) await assertReproduced(at(0), id)
    const started = at(1).stderr()
    assert.doesNotMatch(started, /mail\.example/)
  })

  test("while PostgreSQL is away nodes go on scoring, refuse what needs it, and come back by themselves", async () => {
    const email = "ana.silva@mail.example"
    const before = await Promise.all(all.map(async (node) => await explainedText(node, email, key)))
    await nodes.postgres.crash()
    for (const node of all) {
      const response = await node.request("/api/v1/feedback", {
        key,
        json: { email, outcome: "fraud_confirmed" },
      })
      assert.equal(response.status, 503, await response.clone().text())
      assert.ok(Number(response.headers.get("retry-after")) > 0)
      assert.equal((await node.request("/readyz")).status, 503)
    }
    // Decisions stay in the journals, and the answers are the ones there were.
    const ids: string[] = []
    for (const [n, node] of all.entries()) {
      assert.equal(await explainedText(node, email, key), before[n])
      ids.push(await decide(node))
      assert.equal(await statusOf(node, ids[n] ?? ""), 503)
    }
    await nodes.postgres.restart()
    for (const node of all) await until(async () => (await node.request("/readyz")).status === 200)
    for (const [n, id] of ids.entries()) {
      await until(async () => (await statusOf(at(n + 1), id)) === 200)
      await assertReproduced(at(n + 2), id)
    }
  })

  async function untilKnown(of: readonly Service[], by: string): Promise<void> {
    for (const node of of) {
      await until(async () => {
        const json = { email: "nobody@mail.example" }
        return (await node.request("/api/v1/risk/score", { key: by, json })).status === 200
      })
    }
  }
}
