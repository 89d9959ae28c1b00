import assert from "node:assert/strict"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { clusterForFile } from "../../packages/stores/testing/redis/cluster-suite.ts"
import { metaKey } from "../../packages/stores/src/redis/layout.ts"
import { type TestNode, until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const cluster = await clusterForFile()
/** One the demo knows, and others it does not: enough to fall on every node. */
const emails = [
  "ana.silva@mail.example",
  ...Array.from({ length: 24 }, (_, i) => `nobody-${i}@mail.example`),
]

if (cluster !== null) {
  test("with the index in a cluster, what a node lost or cannot say is 503 and never clean", async () => {
    const data = join(temporary, "data")
    const env = {
      ASSAY_INDEX_URL: cluster.urls,
      ASSAY_INDEX_BUCKET_BITS: "6",
      ASSAY_INDEX_TIMEOUT_MS: "10000",
    }
    const service = await startService({ dataDirectory: data, env, args: ["--workers", "2"] })
    let before = await answers(service)
    assert.ok(before.every(({ status }) => status === 200))
    assert.ok(before.some(({ text }) => text.includes('"exposed":true')))
    assert.ok(!existsSync(join(data, "index", "data.mdb")))
    const doctor = await assay(["doctor"], { ...env, ASSAY_DATA: data })
    assert.match(doctor.out, /ok +key .*fits the index/)
    assert.match(doctor.out, /warning +index .*appendfsync is no, so a power cut/)

    // A command imports into the cluster beside the service, and takes a source out again.
    const list = join(temporary, "list.txt")
    writeFileSync(list, `${emails[1] ?? ""}:Canary-zqxjkv\n`)
    const command = (...args: string[]) => assay(["corpus", ...args], { ...env, ASSAY_DATA: data })
    const imported = await command("import", list, "--source", "leak", "--date", "2026-10-01")
    assert.equal(imported.code, 0, imported.err)
    assert.match((await answers(service))[1]?.text ?? "", /"exposed":true/)
    assert.equal((await command("remove", "leak", "--yes")).code, 0)
    assert.match((await answers(service))[1]?.text ?? "", /"exposed":false/)
    const kept = await command("import", list, "--source", "kept", "--date", "2020-10-01")
    assert.equal(kept.code, 0, kept.err)
    before = await answers(service)
    for (const verb of ["stats", "verify", "compact", "rebuild"]) {
      const refused = await command(verb)
      assert.equal(refused.code, 1)
      assert.match(refused.err, /The index is in a cluster/)
    }

    const catalogueNode = await cluster.nodeOf(metaKey("assay"))
    const node = (after: number): TestNode => cluster.nodes[(catalogueNode + after) % 3] as TestNode
    await node(1).kill()
    assertSameOr503(before, await answers(service))
    assert.equal((await service.request("/readyz")).status, 200)
    await node(1).start()
    await until(async () => (await answers(service)).every(({ status }) => status === 200))
    assert.deepEqual(await answers(service), before)

    await node(0).kill()
    assert.ok((await answers(service)).every(({ status }) => status === 503))
    assert.equal((await service.request("/readyz")).status, 503)
    await node(0).start()
    await until(async () => (await service.request("/readyz")).status === 200)
    await until(async () => (await answers(service)).every(({ status }) => status === 200))

    await node(2).ask("FLUSHALL")
    const emptied = await answers(service)
    assertSameOr503(before, emptied)
    const unavailable = emptied.find(({ status }) => status === 503)
    assert.match(unavailable?.text ?? "", /"code":"store-unavailable"/)
    assert.doesNotMatch(unavailable?.text ?? "", /mail\.example|redis|127\.0\.0\.1/)
    assert.doesNotMatch(service.stderr(), /mail\.example/)
    assert.equal(await service.stop(), 0)

    // What the cluster lost for good comes back under another name, from the segments.
    const renamed = { ...env, ASSAY_INDEX_NAME: "again", ASSAY_DATA: data }
    const rebuilt = await assay(["corpus", "rebuild", "--lost-index"], renamed)
    assert.equal(rebuilt.code, 0, rebuilt.err)
    assert.match(rebuilt.out, /^1 rows of segments, /)
    assert.match((await assay(["corpus", "sources"], renamed)).out, /^kept +combolist/m)

    const secret = join(temporary, "another-secret")
    writeFileSync(secret, `${"5a".repeat(32)}\n`, { mode: 0o600 })
    await assert.rejects(
      startService({ env: { ...env, ASSAY_SECRET_FILE: secret } }),
      /another master secret/,
    )
  })
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function answers(service: Service): Promise<Answer[]> {
  const found: Answer[] = []
  for (const email of emails) {
    const response = await service.request("/api/v1/risk/score", { json: { email } })
    found.push({ status: response.status, text: await response.text() })
  }
  return found
}

/** Some are answered as before and the others not at all. */
function assertSameOr503(before: readonly Answer[], after: readonly Answer[]): void {
  const changed = after.filter(({ text }, i) => text !== before[i]?.text)
  assert.ok(changed.length > 0 && changed.length < after.length)
  assert.ok(changed.every(({ status }) => status === 503))
}
