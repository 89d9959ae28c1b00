import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../packages/runtime/src/secrets.ts"
import type { Entry } from "../packages/stores/src/entry.ts"
import type { ExposureIndex } from "../packages/stores/src/exposure-index.ts"
import { INDEX_BUCKET_BITS } from "../packages/stores/src/index-place.ts"
import { openIndex } from "../packages/stores/src/open/open-index.ts"
import { HEAD_BYTES, rowOfEntry, type SegmentBlock } from "../packages/stores/src/segment-block.ts"
import { freePort } from "../packages/stores/testing/free-port.ts"
import { startTestServer } from "../packages/stores/testing/postgres/test-server.ts"
import {
  startTestCluster,
  type TestCluster,
} from "../packages/stores/testing/redis/test-cluster.ts"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Balancer, startBalancer } from "../tests/http/balancer.ts"
import { type Bench, BenchError } from "./bench.ts"
import { type RunningProgram, startProgram } from "./child-program.ts"
import { emailMix, seeded } from "./http/identity-mix.ts"
import { fillIndex } from "./http/known-identities.ts"
import { findWrk, type LoadTarget, peakLoad } from "./http/load.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { requireProcessFigures, treeProcessorMicros } from "./process-figures.ts"
import { writeResults } from "./results.ts"

type Given = Readonly<Record<"seconds" | "identities" | "lookups", number>>

const CONNECTIONS = 32
/** The compiler has work until then. */
const WARM_SECONDS = 20
/** Buckets of the index that is asked: as full as they are meant to be is not what is measured. */
const BITS = 8
/** What the fallback of ASSAY_INDEX_BUCKET_BITS suits. */
const SUITED = 100_000_000
const BLOCK_ROWS = 65_536
const KEY_BYTES = 16
/** Of each exposure; the batch is what it is merged for. */
const EXPOSURE: Entry = {
  ...{ kind: "breach", secret: "plaintext", hours: 480_000, fingerprint: 77, aliasTag: 0 },
  ...{ batchId: 1, item: null, confidence: null, classes: [], value: null },
}
const PARTS = ["nodes", "PostgreSQL", "cluster", "nginx"] as const

/** A service under all the load it takes, and what each part of it cost the processor. */
interface Served {
  readonly name: string
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicrosPerRequest: Readonly<Record<(typeof PARTS)[number], number>>
}

interface Figures {
  readonly served: readonly Served[]
  readonly lookups: {
    readonly number: number
    readonly p50Micros: number
    readonly p99Micros: number
  }
  readonly memory: {
    readonly identities: number
    readonly bucketBits: number
    readonly bytesEach: number
    /** By one process, which makes the rows too. */
    readonly filledPerSecond: number
  }
}

export const scaleBench: Bench<keyof Given> = {
  name: "scale",
  summary: "requests by one, two and three nodes, with what PostgreSQL and the cluster use",
  options: {
    seconds: { fallback: 15, min: 1, max: 600, meaning: "seconds of each load" },
    identities: {
      fallback: 2_000_000,
      min: 100_000,
      max: 200_000_000,
      meaning: "identities put into a cluster to see what each takes",
    },
    lookups: { fallback: 20_000, min: 1_000, max: 10_000_000, meaning: "look-ups that are timed" },
  },
  async run(given) {
    requireProcessFigures()
    const machine = machineFacts()
    const figures = await measured(given)
    const tables = tablesOf(figures)
    console.log(`\n${tables}\n`)
    const page = `# Scale

Printed by \`npm run bench -- scale\`: services of one worker a node answer all that ${CONNECTIONS} connections ask of a mix of addresses. One is a node with its stores in its
directory; the others share a PostgreSQL and a cluster of three primaries, and several nodes are behind nginx as \`deploy/nodes\` has it. All of it, and who asks,
shares the cores of one machine, so more nodes cannot answer more here: what a request costs is what counts, by the processor time of all processes of a part.

${machineLines(machine)}

${tables}
`
    const files = writeResults("scale", { machine, options: given, figures }, page)
    console.log(`Written to ${files.join(" and ")}`)
  },
}

async function measured({ seconds, identities, lookups }: Given): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-scale-"))
  const bodiesFile = join(folder, "emails.ndjson")
  const secretFile = join(folder, "secret")
  writeFileSync(secretFile, `${"5e".repeat(32)}\n`, { mode: 0o600 })
  const bodies = emailMix().map(({ email }) => `${JSON.stringify({ email })}\n`)
  writeFileSync(bodiesFile, bodies.join(""))
  const postgres = await startTestServer()
  const cluster = await startTestCluster()
  try {
    const served: Served[] = []
    for (const nodes of [0, 1, 2, 3]) {
      const url = nodes === 0 ? null : await postgres.createDatabase()
      const one = await servedBy({ nodes, url, cluster, folder, secretFile, bodiesFile, seconds })
      console.log(`${one.name}: ${one.requestsPerSecond.toFixed(0)} requests a second`)
      served.push(one)
    }
    const index = await openIndex(placeOf(folder, cluster, "nodes1", BITS), { readOnly: true })
    const timed = await timedLookups(index, secretFile, lookups).finally(() => index.close())
    return { served, lookups: timed, memory: await filled(folder, cluster, identities) }
  } finally {
    await cluster.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Variant {
  /** How many share the engines; 0: one that has its stores in its directory. */
  readonly nodes: number
  readonly url: string | null
  readonly cluster: TestCluster
  readonly folder: string
  readonly secretFile: string
  readonly bodiesFile: string
  readonly seconds: number
}

async function servedBy(variant: Variant): Promise<Served> {
  const { nodes, url, cluster, folder, secretFile, bodiesFile, seconds } = variant
  const name = `nodes${nodes}`
  const place =
    url === null
      ? { ...placeOf(join(folder, name), cluster, name, BITS), indexUrl: null }
      : placeOf(join(folder, `${name}-beside`), cluster, name, BITS)
  const index = await openIndex(place, { readOnly: false })
  await fillIndex(index, secretFile, emailMix(), seeded(1)).finally(() => index.close())
  const programs: RunningProgram[] = []
  let balancer: Balancer | null = null
  try {
    for (let n = 0; n < Math.max(1, nodes); n++) {
      const data = join(folder, n === 0 ? name : `${name}-${n}`)
      programs.push(await startNode(data, secretFile, name, url, cluster))
    }
    const ports = programs.map(({ ready }) => Number(ready[1]))
    // The file has three nodes; who is not there is not asked.
    if (nodes > 1) balancer = await startBalancer(await freePort(), ports)
    const port = balancer?.port ?? ports[0] ?? 0
    const apiKey = programs[0]?.ready[2] ?? ""
    const target: LoadTarget = { port, apiKey, path: "/api/v1/risk/score", bodiesFile }
    const wrk = findWrk(process.env)
    await peakLoad(wrk, target, { connections: CONNECTIONS, seconds: WARM_SECONDS })
    const pids: Record<(typeof PARTS)[number], readonly number[]> = {
      nodes: programs.map(({ pid }) => pid),
      PostgreSQL: url === null ? [] : withArgument(`-p ${new URL(url).port} `, /postgres/),
      cluster:
        url === null
          ? []
          : cluster.urls.split(",").flatMap((each) => withArgument(new URL(each).port, /-server/)),
      nginx: balancer === null ? [] : [balancer.pid],
    }
    const spent = (part: (typeof PARTS)[number]): number =>
      pids[part].reduce((sum, pid) => sum + treeProcessorMicros(pid), 0)
    const before = PARTS.map(spent)
    const load = await peakLoad(wrk, target, { connections: CONNECTIONS, seconds })
    const cost = PARTS.map(
      (part, n) => [part, (spent(part) - (before[n] ?? 0)) / load.requests] as const,
    )
    return {
      name: nodes === 0 ? "one node, its own stores" : `${nodes} on engines`,
      requestsPerSecond: load.requests / load.seconds,
      p50Ms: load.p50Ms,
      p99Ms: load.p99Ms,
      cpuMicrosPerRequest: Object.fromEntries(cost) as Served["cpuMicrosPerRequest"],
    }
  } finally {
    await balancer?.stop()
    await Promise.all(programs.map((program) => program.stop()))
  }
}

async function startNode(
  data: string,
  secretFile: string,
  indexName: string,
  url: string | null,
  cluster: TestCluster,
): Promise<RunningProgram> {
  const engines =
    url === null
      ? null
      : {
          DATABASE_URL: url,
          ASSAY_INDEX_URL: cluster.urls,
          ASSAY_INDEX_NAME: indexName,
          ASSAY_INDEX_BUCKET_BITS: String(BITS),
          ASSAY_INDEX_TIMEOUT_MS: "10000",
        }
  return await startProgram(
    [...assayProgram(), "serve"],
    {
      ASSAY_DATA: data,
      ASSAY_SECRET_FILE: secretFile,
      ASSAY_WORKERS: "1",
      PORT: "0",
      DROP: "off",
      // Other programs of the machine may keep a loop waiting, and none of this is about shedding.
      ASSAY_SHED_DELAY_MS: "10000",
      ...engines,
    },
    /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
  )
}

function placeOf(dataDirectory: string, { urls }: TestCluster, indexName: string, bits: number) {
  const [indexUrl, indexBucketBits, indexTimeoutMs] = [urls, bits, 10_000]
  return { dataDirectory, indexUrl, indexName, indexBucketBits, indexTimeoutMs }
}

/** Look-ups one after the other from this process, of addresses of the mix. */
async function timedLookups(
  index: ExposureIndex,
  secretFile: string,
  number: number,
): Promise<Figures["lookups"]> {
  const { subkeys } = openSecrets(secretFile, false)
  const keys = emailMix().map(({ email }) => {
    const parsed = parseEmail(email)
    if ("fault" in parsed) throw new BenchError("an address of the bench is not valid")
    return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
  })
  const micros: number[] = []
  for (let n = -keys.length; n < number; n++) {
    const key = keys[(n + keys.length) % keys.length] ?? new Uint8Array()
    const at = performance.now()
    await index.lookup(key, null)
    if (n >= 0) micros.push((performance.now() - at) * 1000)
  }
  micros.sort((a, b) => a - b)
  const percentile = (share: number): number => micros[Math.floor(share * micros.length)] ?? 0
  return { number, p50Micros: percentile(0.5), p99Micros: percentile(0.99) }
}

/**
 * Identities with one exposure each, in buckets as full as they are meant to be, merged as a
 * segment of an import is.
 */
async function filled(
  folder: string,
  cluster: TestCluster,
  identities: number,
): Promise<Figures["memory"]> {
  const shrunk = Math.round(Math.log2(SUITED / identities))
  const bucketBits = Math.max(INDEX_BUCKET_BITS.min, INDEX_BUCKET_BITS.fallback - shrunk)
  const used = async (): Promise<number> => {
    let bytes = 0
    for (const node of cluster.nodes) {
      const told = String(await node.ask("INFO", "memory"))
      bytes += Number(/^used_memory_dataset:(\d+)/m.exec(told)?.[1])
    }
    return bytes
  }
  const before = await used()
  const index = await openIndex(placeOf(folder, cluster, "filled", bucketBits), { readOnly: false })
  try {
    const source = {
      ...{ name: "filled", title: "Filled", kind: "breach" as const, confidence: 0.8, classes: [] },
      flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
      ...{ eventDate: null, circulates: false },
    }
    const { id } = await index.openBatch(source, "filled", 1)
    const from = performance.now()
    await index.mergeSegment(id, segmentOf(identities))
    const seconds = (performance.now() - from) / 1000
    await index.goLive(id, { rows: identities, identities }, 2)
    const bytesEach = ((await used()) - before) / identities
    return { identities, bucketBits, bytesEach, filledPerSecond: identities / seconds }
  } finally {
    await index.close()
  }
}

/** What an import merges: rows in the order of their keys, which are as random as hashes. */
async function* segmentOf(identities: number): AsyncGenerator<SegmentBlock> {
  const { head } = rowOfEntry(EXPOSURE)
  const firsts = 2 ** 48
  let last = -1
  for (let done = 0; done < identities; done += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, identities - done)
    // Each block has its share of all keys.
    const ascending = Float64Array.from({ length: count }, () =>
      Math.floor(((done + Math.random() * count) / identities) * firsts),
    ).sort()
    const keys = randomBytes(count * KEY_BYTES)
    const heads = Buffer.alloc(count * HEAD_BYTES, head)
    for (const [row, first] of ascending.entries()) {
      last = Math.max(last + 1, first)
      keys.writeUIntBE(last, row * KEY_BYTES, 6)
    }
    yield { count, keys, heads, extended: new Map() }
  }
}

/** Processes of this machine whose command has a word, such as a port, and is of a program. */
function withArgument(word: string, program: RegExp): readonly number[] {
  const found = readdirSync("/proc").filter((name) => {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")
      return program.test(command) && command.includes(word)
    } catch {
      return false
    }
  })
  if (found.length === 0) throw new BenchError(`no process of ${program.source} has ${word}`)
  return found.map(Number)
}

function tablesOf({ served, lookups, memory }: Figures): string {
  const micros = (value: number): string => (value === 0 ? "" : `${value.toFixed(0)} µs`)
  const rows = served.map((one) => [
    one.name,
    Math.round(one.requestsPerSecond),
    `${one.p50Ms.toFixed(1)} ms`,
    `${one.p99Ms.toFixed(1)} ms`,
    ...PARTS.map((part) => micros(one.cpuMicrosPerRequest[part])),
    micros(PARTS.reduce((sum, part) => sum + one.cpuMicrosPerRequest[part], 0)),
  ])
  const head = ["service", "requests/s", "p50", "p99"]
  const cost = PARTS.map((part) => `${part}, a request`)
  return `${markdownTable([...head, ...cost, "together"], rows)}

A look-up in the cluster from one process that asks for one at a time: ${lookups.p50Micros.toFixed(0)} µs (p50), ${lookups.p99Micros.toFixed(0)} µs (p99) of ${lookups.number}.

${memory.identities.toLocaleString("en")} identities with one exposure each in 2^${memory.bucketBits} buckets take ${memory.bytesEach.toFixed(1)} bytes each of the engines' memory, without replicas. They were merged as a segment of an import is, by one process that made them too: ${Math.round(memory.filledPerSecond).toLocaleString("en")} a second.`
}
