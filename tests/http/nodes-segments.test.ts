// Segments of imports on three nodes: imports anywhere one after another, at another node where the
// first was killed or is gone, and what is removed goes everywhere.
import assert from "node:assert/strict"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { get } from "node:https"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { fileSha256 } from "../../packages/runtime/src/file-sha256.ts"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import type { Catalogue, ExposureIndex } from "../../packages/stores/src/exposure-index.ts"
import { lastingPort } from "../../packages/stores/testing/free-port.ts"
import { until } from "../../packages/stores/testing/redis/test-cluster.ts"
import { assay, createKey } from "../cli/assay.ts"
import { combolist, emailAt, startImport } from "../cli/corpus.ts"
import { isExposed } from "./half-sent.ts"
import { temporaryDirectory } from "./temporary.ts"
import { nodesForFile } from "./three-nodes.ts"

const temporary = temporaryDirectory()
const ROWS = 5_000
/** More than the command sorts itself: its rows are merged while the segment is written. */
const MANY_ROWS = 140_000
const KILLS = process.env["ASSAY_SOAK"] === undefined ? 2 : 36
/** Before a killed node's turn to import is over. */
const LEASE_MS = 15_000

/** A second, as where nothing is set: imports are more patient. */
const INDEX_TIMEOUT = { ASSAY_INDEX_TIMEOUT_MS: "1000" }

const ports = [await lastingPort(), await lastingPort(), await lastingPort()]
const nodes = await nodesForFile(temporary, {
  // None of the cluster's is killed here, and a busy machine must not be taken for that.
  nodeTimeoutMs: 15_000,
  besides: async (number) => ({
    env: { ASSAY_NODE_PORT: String(ports[number]) },
  }),
})

if (nodes !== null) {
  const { all, env, index, records, restart, idOf } = nodes
  const secretFile = env["ASSAY_SECRET_FILE"] ?? ""
  const { subkeys } = openSecrets(secretFile, false)
  const key = await createKey(
    { dataDirectory: all[0].dataDirectory, env },
    ...["--tenant", "one", "--plan", "enterprise", "--scopes", "all"],
  )
  const list = combolist(join(temporary, "list.txt"), ROWS)
  const many = combolist(join(temporary, "many.txt"), MANY_ROWS)

  type Number = 0 | 1 | 2
  const envOf = (n: Number): Record<string, string> => ({
    ...env,
    ASSAY_DATA: all[n].dataDirectory,
    ASSAY_NODE_PORT: String(ports[n]),
    ...INDEX_TIMEOUT,
  })
  const argsOf = (source: string, date: string, file = list): string[] => [
    file,
    ...["--source", source, "--date", date],
  ]
  const imports = async (n: Number, source: string, date: string, file = list) =>
    await assay(["corpus", "import", ...argsOf(source, date, file), "--wait"], envOf(n))
  const namesOf = (n: Number, folder: "segments" | "import" | "rejects"): string[] => {
    try {
      return readdirSync(join(all[n].dataDirectory, folder)).sort()
    } catch {
      return []
    }
  }
  const liveSegments = ({ batches }: Catalogue): string[] =>
    [...batches.values()]
      .flatMap(({ state, segment }) => (state === "live" && segment ? [segment.file] : []))
      .sort()
  /** Whether a node has the segments of all live batches, and none else. */
  const isInStep = async (n: Number): Promise<boolean> =>
    namesOf(n, "segments").join() === liveSegments(await index.catalogue()).join()
  const inStep = async (...of: readonly Number[]): Promise<void> => {
    for (const n of of) await until(async () => await isInStep(n))
  }
  const sourceIn = ({ sources }: Catalogue, name: string) => {
    const found = [...sources.values()].find((source) => source.name === name)
    return found ?? assert.fail(name)
  }
  /** What the live batches of a source say of addresses, without the numbers of the batches. */
  const saidBy = async (of: ExposureIndex, source: string, rows: number) => {
    const catalogue = await of.catalogue()
    const { id } = sourceIn(catalogue, source)
    const batches = [...catalogue.batches.values()].filter(
      ({ state, sourceId }) => state === "live" && sourceId === id,
    )
    const ids = new Set(batches.map((batch) => batch.id))
    const entries = []
    for (let n = 0; n < rows; n++) {
      const email = parseEmail(emailAt(n))
      assert.ok(!("fault" in email))
      const found = await of.holdings(
        identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical),
      )
      entries.push(
        found.entries
          .filter(({ batchId }) => ids.has(batchId))
          .map(({ batchId: _, ...entry }) => entry),
      )
    }
    return { batches: batches.map(({ rows, identities }) => [rows, identities]), entries }
  }

  // The same imports, undisturbed, into an index of one node's own.
  const alone = { ASSAY_DATA: join(temporary, "alone"), ASSAY_SECRET_FILE: secretFile }
  for (const args of [
    argsOf("one", "2026-01-05"),
    argsOf("two", "2026-02-05"),
    argsOf("many", "2026-03-05", many),
  ]) {
    const made = await assay(["corpus", "import", ...args], alone)
    assert.equal(made.code, 0, made.err)
  }
  const undisturbed = await openLmdbIndex({ path: join(alone.ASSAY_DATA, "index"), readOnly: true })

  test("an import goes to any node after one at another, both count everywhere, and every node has every segment", async () => {
    const one = await imports(0, "one", "2026-01-05")
    assert.equal(one.code, 0, one.err)
    const two = await imports(1, "two", "2026-02-05")
    assert.equal(two.code, 0, two.err)
    assert.match(two.out, /This is the same data as one/)
    for (const node of all) assert.equal(await isExposed(node, emailAt(7), key), true)
    await inStep(0, 1, 2)
    const catalogue = await index.catalogue()
    const segments = [...catalogue.batches.values()].flatMap(({ segment }) => segment ?? [])
    assert.equal(segments.length, 2)
    for (const { file, sha256: digest } of segments)
      for (const { dataDirectory } of all)
        assert.equal(await fileSha256(join(dataDirectory, "segments", file)), digest)
    const reference = await undisturbed.catalogue()
    for (const name of ["one", "two"]) {
      const { circulates, circulation } = sourceIn(catalogue, name)
      const expected = sourceIn(reference, name)
      const same = (of: Catalogue, id: number | null | undefined): string | undefined =>
        of.sources.get(id ?? -1)?.name
      assert.equal(circulates, expected.circulates)
      assert.deepEqual(
        { ...circulation, sameAs: same(catalogue, circulation?.sameAs), of: null, origins: null },
        {
          ...expected.circulation,
          sameAs: same(reference, expected.circulation?.sameAs),
          ...{ of: null, origins: null },
        },
      )
    }
    await until(async () => {
      const metrics = await (await all[2].request("/metrics", { key: null })).text()
      return /^assay_node_segments_lacking 0$/m.test(metrics)
    })
  })

  test("an import waits for a node of the cluster that hangs for seconds", async () => {
    const [hanging] = nodes.cluster.nodes
    const running = startImport(argsOf("patient", "2026-01-15"), envOf(1))
    // Its segment is begun, so it has read the catalogue and writes.
    while (running.running() && namesOf(1, "import").length === 0) await delay(2)
    hanging?.pause()
    await delay(4_000)
    assert.ok(running.running(), running.output())
    hanging?.resume()
    assert.equal(await running.ended, 0, running.output())
    await inStep(0, 1, 2)
  })

  test("without the master secret the port of a node gives nothing", async () => {
    const [file] = liveSegments(await index.catalogue())
    for (const options of [
      { rejectUnauthorized: false },
      {
        ...({ minVersion: "TLSv1.3", ciphers: "TLS_AES_128_GCM_SHA256" } as const),
        pskCallback: () => ({ psk: Buffer.alloc(32), identity: "assay-node" }),
      },
    ]) {
      const ended = await new Promise<string>((resolve) => {
        const place = { host: "127.0.0.1", port: ports[0], path: `/segments/${file}`, agent: false }
        const asked = get({ ...place, ...options }, (answer) => {
          answer.resume()
          resolve(`answered ${answer.statusCode}`)
        })
        asked.on("error", () => resolve("refused"))
      })
      assert.equal(ended, "refused")
    }
  })

  /** What a node is doing when it is killed. */
  const MOMENTS: readonly ((data: readonly string[], segments: readonly string[]) => boolean)[] = [
    // Rows are merged while the segment is written.
    (_, segments) => segments.some((name) => name.endsWith(".parquet.new")),
    // The segment is whole, and the batch not live yet.
    (work) => work.some((name) => name.endsWith(".json")),
    // Rows are sorted.
    (work) => work.some((name) => !name.endsWith(".json")),
  ]
  for (let round = 0; round < KILLS; round++) {
    test(`a node killed in an import (${round}): another completes it as if nothing had been, and the first tidies up when it is back`, async () => {
      const isNow = MOMENTS[round % MOMENTS.length]
      const begin = async (attempt: number) => {
        const source = `many-${round}${attempt}`
        const running = startImport(argsOf(source, "2026-03-05", many), envOf(0))
        while (running.running() && isNow?.(namesOf(0, "import"), namesOf(0, "segments")) !== true)
          await delay(2)
        // Of a soak run each goes on for another while, and may have ended.
        await delay((Math.floor(round / MOMENTS.length) * 53) % 300)
        return { source, running }
      }
      let { source, running } = await begin(0)
      // On a busy machine the moment may have passed before it was looked for.
      for (
        let attempt = 1;
        attempt < 10 && !running.running() && round < MOMENTS.length;
        attempt++
      ) {
        assert.equal(await running.ended, 0, running.output())
        ;({ source, running } = await begin(attempt))
      }
      assert.ok(running.running() || round >= MOMENTS.length, running.output())
      if (running.running()) process.kill(-running.pid, "SIGKILL")
      await all[0].kill()
      const killedAt = performance.now()
      await running.ended
      const killed = [...(await index.catalogue()).batches.values()].filter(
        ({ state }) => state === "live",
      ).length

      const completed = await imports(1, source, "2026-03-05", many)
      assert.equal(completed.code, 0, completed.err)
      assert.ok(performance.now() - killedAt < LEASE_MS + 120_000)
      const live = [...(await index.catalogue()).batches.values()].filter(
        ({ state }) => state === "live",
      ).length
      if (!completed.out.startsWith("Already imported")) assert.equal(live, killed + 1)
      const [found, expected] = [
        await saidBy(index, source, 500),
        await saidBy(undisturbed, "many", 500),
      ]
      assert.deepEqual(found, expected)
      assert.deepEqual(found.batches, [[MANY_ROWS, MANY_ROWS]])

      await restart(0)
      assert.equal(await isExposed(all[0], emailAt(MANY_ROWS - 1), key), true)
      await inStep(0, 1, 2)
      await until(async () => namesOf(0, "import").length === 0)
      assert.deepEqual(
        namesOf(0, "rejects").filter((name) => name.endsWith(".new")),
        [],
      )
      const again = await imports(2, source, "2026-03-05", many)
      assert.match(again.out, /^Already imported as batch \d+ of many-\d+; nothing changed/)
    })
  }

  test("a segment that no node has which answers is told with its batch and the nodes, and nothing changes until one is back", async () => {
    await inStep(0, 1, 2)
    const before = await index.catalogue()
    const batch = [...before.batches.values()].find(({ segment }) => segment != null)
    const file = batch?.segment?.file ?? assert.fail()
    await all[0].kill()
    for (const n of [1, 2] as const) rmSync(join(all[n].dataDirectory, "segments", file))
    const refused = await imports(1, "three", "2026-04-05")
    assert.equal(refused.code, 1, refused.out)
    const [killed, other] = [await idOf(0), await idOf(2)]
    assert.match(
      refused.err,
      new RegExp(`Nothing was imported: Segment ${file} of batch ${batch?.id} of one is not here`),
    )
    assert.match(refused.err, new RegExp(`${killed} \\(.*\\) did not answer`))
    assert.match(refused.err, new RegExp(`${other} \\(.*\\) does not have it`))
    assert.equal((await index.catalogue()).version, before.version)
    assert.equal(
      (await records.leases()).some(({ name }) => name === "import"),
      false,
    )
    await restart(0)
    const done = await imports(1, "three", "2026-04-05")
    assert.equal(done.code, 0, done.err)
    await inStep(0, 1, 2)
  })

  test("a node that is gone for good takes no segment with it", async () => {
    await all[0].kill()
    const four = await imports(2, "four", "2026-05-05")
    assert.equal(four.code, 0, four.err)
    await inStep(1, 2)
    // With the copy of the catalogue that tells what they are, on a node that imported none of it.
    await until(async () =>
      readFileSync(join(all[1].dataDirectory, "catalogue.json"), "utf8").includes('"four"'),
    )
  })

  test("a source removed at one node goes from all, also from one that was away, and does not come back", async () => {
    // The first node is away still.
    const one = sourceIn(await index.catalogue(), "one")
    const held = namesOf(0, "segments")
    // What is left is measured, and this node lacks a segment of it for the moment.
    const [lacked = ""] = [...(await index.catalogue()).batches.values()].flatMap(
      ({ segment, sourceId }) => (segment && sourceId === one.id ? [segment.file] : []),
    )
    rmSync(join(all[1].dataDirectory, "segments", lacked))
    const removed = await assay(["corpus", "remove", "three", "--yes"], envOf(1))
    assert.equal(removed.code, 0, removed.err)
    await inStep(1, 2)
    assert.deepEqual(namesOf(0, "segments"), held)
    await restart(0)
    await inStep(0)
    // Several rounds of each node.
    await delay(5_000)
    for (const n of [0, 1, 2] as const) assert.equal(await isInStep(n), true)
    await undisturbed.close()
  })
}
