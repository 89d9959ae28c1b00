import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import type { ImportReport } from "@assay/corpus/import-request"
import type { TakenImport, TakenNews, TakenProgress } from "@assay/corpus/taken-import"
import type { Batch, Catalogue } from "@assay/stores/exposure-index"
import type { KeptState } from "./import-states.ts"
import { runImports } from "./run-imports.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-run-imports-"))
after(() => rmSync(folder, { recursive: true }))
let directories = 0
const NOW = Date.UTC(2026, 10, 17, 12)

const taken: TakenImport = {
  paths: ["/folder/people-of-somewhere.csv"],
  hints: { map: {} },
  source: { name: "forum" },
  importedBy: "per_ada",
}

const batch: Batch = {
  owner: "shared",
  state: "live",
  ...{ id: 4, sourceId: 9, fingerprint: "f" },
  ...{ rows: 10, identities: 8, createdAt: NOW, liveAt: NOW, removedAt: null },
  importedBy: "per_ada",
}
const report: ImportReport = {
  ...{ changed: true, completed: false, batch, repeated: 1, rejects: "", sameAs: null },
  source: { ...({} as ImportReport["source"]), name: "forum", circulates: false },
  tally: { rows: 11, rejects: { blank: 2 }, kinds: {}, datings: {} },
  merged: { rows: 10, identities: 8, known: 3 },
  peakMemory: null,
  phases: [],
}
const live: TakenNews = { type: "live", report }

/** A data directory, what its catalogue says, and services over it that are killed and started. */
function place(): {
  file: string
  catalogue: { liveBy: string | null; isDown: boolean }
  lock: { isHeld: boolean }
  /** Milliseconds of the clock that measures. */
  clock: { ms: number }
  start(): Service
} {
  const directory = join(folder, String(++directories))
  mkdirSync(directory)
  const file = join(directory, "imports.json")
  const catalogue = { liveBy: null as string | null, isDown: false }
  const lock = { isHeld: false }
  const clock = { ms: 0 }
  const start = (): Service => {
    let tell: (news: TakenNews) => void = () => undefined
    let gone: () => void = () => undefined
    const orders: unknown[] = []
    const imports = runImports(
      {
        nodeId: null,
        socketPath: join(directory, "upload.sock"),
        statesPath: file,
        isImporting: () => lock.isHeld,
        isImportingAnywhere: async () => lock.isHeld,
        start() {
          const ended = Promise.withResolvers<{ exitCode: null; signal: null }>()
          gone = () => ended.resolve({ exitCode: null, signal: null })
          const channel = {
            send: (order: unknown) => void orders.push(order),
            onMessage: (listener: (message: unknown) => void) => void (tell = listener),
            onClose: () => undefined,
          }
          return { channel, ended: ended.promise, stop: () => undefined }
        },
        now: () => NOW,
        elapsed: () => clock.ms,
      },
      async () => {
        if (catalogue.isDown) throw new Error("The index cannot be read")
        const { liveBy } = catalogue
        const batches = liveBy === null ? [] : [[4, { ...batch, importedBy: liveBy }] as const]
        return {
          batches: new Map(batches),
          sources: new Map([[9, { name: "forum" }]]),
        } as unknown as Catalogue
      },
    )
    return {
      imports,
      orders,
      tell: (...news) => news.forEach((each) => tell(each)),
      async end() {
        gone()
        await turn()
      },
      async newest() {
        const [newest] = await imports.list()
        assert.ok(newest)
        return newest
      },
    }
  }
  return { file, catalogue, lock, clock, start }
}

interface Service {
  readonly imports: ReturnType<typeof runImports>
  readonly orders: unknown[]
  tell(...news: TakenNews[]): void
  /** The process of the import is gone. */
  end(): Promise<void>
  newest(): Promise<KeptState>
}

async function begun(service: Service): Promise<string> {
  const { id } = (await service.imports.begin(taken)) ?? { id: "" }
  assert.match(id, /^imp_/)
  return id
}

test("what was said of an import is said again by a service that follows one killed just then", async () => {
  const { start } = place()
  const killed = start()
  const id = await begun(killed)
  killed.tell({ type: "ready" }, live)
  const [counting] = await killed.imports.list()
  const [kept] = await start().imports.list()
  assert.deepEqual(kept?.report, counting?.report)
  killed.tell({ type: "done", decided: { identities: 3, days: 30 } })
  const done = await killed.imports.get(id)
  assert.equal(done?.state, "done")
  assert.deepEqual(await start().imports.list(), [done])
})

test("an import that is done is listed with its report, also by the next service, without its file", async () => {
  const { file, start } = place()
  const first = start()
  await begun(first)
  first.tell({ type: "ready" }, live)
  // Its evidence counts: the report is there, and nobody has been counted yet.
  const counting = await first.newest()
  assert.deepEqual([counting.state, counting.report?.decided], ["running", null])
  first.tell({ type: "done", decided: { identities: 0, days: 30 } })
  await first.end()
  const done = await first.newest()
  assert.equal(done.state, "done")
  assert.deepEqual(done.report?.decided, { identities: 0, days: 30 })
  assert.deepEqual([done.report.imported, done.report.rejected, done.detail], [7, 2, null])
  await first.imports.idle()
  assert.deepEqual(await start().imports.list(), [done])
  assert.doesNotMatch(readFileSync(file, "utf8"), /people-of-somewhere/)
  assert.deepEqual(await first.imports.counts(), {
    ...{ outcomes: { done: 1, failed: 0, stopped: 0 }, rows: 7, rejected: 2, seconds: 0 },
    ...{ phases: { starting: 0 }, running: 0, current: null },
  })
})

test("while it runs it says rows, rejects, rate and time left of its phase; in the end where its time went", async () => {
  const { clock, start } = place()
  const service = start()
  await begun(service)
  const at = (ms: number, progress: TakenProgress): void => {
    clock.ms = ms
    service.tell({ type: "progress", progress })
  }
  at(500, { phase: "reading", rows: 0, rejected: 0, done: 0, total: 4000 })
  at(2500, { phase: "reading", rows: 900, rejected: 100, done: 1000, total: 4000 })
  const reading = await service.newest()
  assert.deepEqual(
    [reading.rows, reading.rejected, reading.rows_per_second, reading.seconds_left],
    [900, 100, 450, 6],
  )
  clock.ms = 3000
  assert.deepEqual((await service.newest()).phases, [
    { phase: "starting", seconds: 0.5 },
    { phase: "reading", seconds: 2.5 },
  ])
  // Where nothing is said of rejects, they are those of before.
  at(3500, { phase: "merging", rows: 0, done: 0, total: 900 })
  at(4500, { phase: "merging", rows: 300, done: 300, total: 900 })
  const merging = await service.newest()
  assert.deepEqual([merging.rejected, merging.rows_per_second, merging.seconds_left], [100, 300, 2])
  const { running, current } = await service.imports.counts()
  assert.deepEqual([running, current], [1, { phase: "merging", share: 1 / 3, secondsLeft: 2 }])
  // One that stands still takes longer, which no news is needed for.
  clock.ms = 6500
  assert.equal((await service.newest()).seconds_left, 6)
  clock.ms = 7500
  service.tell(live, { type: "done", decided: { identities: 0, days: 30 } })
  const done = await service.newest()
  clock.ms = 60_000
  const phases = [
    { phase: "starting", seconds: 0.5 },
    { phase: "reading", seconds: 3 },
    { phase: "merging", seconds: 4 },
  ]
  assert.deepEqual([done.phases, done.rejected], [phases, 2])
  const { seconds, rejected, phases: summed } = await service.imports.counts()
  assert.deepEqual([seconds, rejected], [7.5, 2])
  assert.deepEqual(summed, { starting: 0.5, reading: 3, merging: 4 })
  await service.imports.idle()
  assert.deepEqual((await start().imports.list())[0]?.phases, phases)
})

test("states that were kept before phases were are read without them", async () => {
  const { file, start } = place()
  const service = start()
  await begun(service)
  service.tell(live, { type: "done", decided: { identities: 0, days: 30 } })
  await service.imports.idle()
  const { imports } = JSON.parse(readFileSync(file, "utf8")) as { imports: { state: object }[] }
  const before = imports.map(({ state, ...rest }) => {
    const { rejected: _, phases: __, ...old } = state as KeptState
    return { state: old, ...rest }
  })
  writeFileSync(file, JSON.stringify({ format: 1, imports: before }))
  const [kept] = await start().imports.list()
  assert.deepEqual([kept?.state, kept?.rejected, kept?.phases], ["done", 2, []])
})

test("what could not be counted is null with a reason, and the import is done", async () => {
  const service = place().start()
  await begun(service)
  service.tell(live, { type: "done", decided: { uncounted: "Decisions are not recorded here" } })
  const { state, report: told, detail } = await service.newest()
  assert.deepEqual(
    [state, told?.decided, detail],
    ["done", null, "Decisions are not recorded here"],
  )
})

test("one that ran when the service was killed has failed, or is done where its batch went live", async () => {
  for (const [liveBy, state, detail] of [
    [null, "failed", /^The service was stopped$/],
    // Somebody else's of the same name, by the command.
    ["root", "failed", /^The service was stopped$/],
    ["per_ada", "done", /^The service was stopped when its evidence counted: there is no report$/],
  ] as const) {
    const { catalogue, start } = place()
    const id = await begun(start())
    catalogue.liveBy = liveBy
    const second = start()
    const told = await second.newest()
    assert.deepEqual([told.id, told.state, told.report], [id, state, null])
    assert.match(told.detail ?? "", detail)
    await second.imports.idle()
    // Said once, and kept: a later service asks nobody.
    catalogue.isDown = true
    assert.deepEqual(await start().imports.list(), [told])
  }
})

test("one whose report had come when the service was killed is done with it", async () => {
  const { catalogue, start } = place()
  const first = start()
  await begun(first)
  first.tell(live)
  await first.imports.settleDue()
  catalogue.isDown = true
  const { state, report: told, detail } = await start().newest()
  assert.deepEqual([state, told?.imported, told?.decided], ["done", 7, null])
  assert.match(detail ?? "", /not all was done/)
})

test("while its process still ends, or the catalogue cannot be read, it is not said how it ended", async () => {
  const { catalogue, lock, start } = place()
  await begun(start())
  lock.isHeld = true
  const second = start()
  assert.equal((await second.newest()).state, "running")
  assert.equal(await second.imports.begin(taken), null)
  // It went live at the last moment.
  catalogue.liveBy = "per_ada"
  lock.isHeld = false
  catalogue.isDown = true
  await second.imports.settleDue()
  assert.equal((await second.newest()).state, "running")
  catalogue.isDown = false
  await second.imports.settleDue()
  assert.equal((await second.newest()).state, "done")
  await begun(second)
})

test("a process that ends without a word has failed, unless its batch is live", async () => {
  const { catalogue, start } = place()
  const service = start()
  await begun(service)
  await service.end()
  const failed = await service.newest()
  assert.deepEqual([failed.state, failed.detail], ["failed", "The process of the import ended"])
  const id = await begun(service)
  catalogue.liveBy = "per_ada"
  // Stopped too late.
  assert.ok(await service.imports.stop(id))
  assert.deepEqual(service.orders.at(-1), { type: "stop" })
  await service.end()
  assert.equal((await service.newest()).state, "done")
  catalogue.liveBy = null
  const other = await begun(service)
  assert.ok(await service.imports.stop(other))
  await service.end()
  assert.equal((await service.newest()).state, "stopped")
  assert.equal((await service.newest()).report, null)
})

test("what fails after the evidence counts does not say that nothing was imported", async () => {
  const service = place().start()
  await begun(service)
  const message = "Batch 4 of forum is live, but its entry in the audit trail was not written"
  service.tell(live, { type: "failed", code: "unfinished", message })
  const { state, detail, report: told } = await service.newest()
  assert.deepEqual([state, detail, told?.batch], ["done", message, 4])
  await begun(service)
  service.tell({ type: "failed", code: "disk-full", message: "The disk is full" })
  const failed = await service.newest()
  assert.deepEqual([failed.state, failed.code, failed.report], ["failed", "disk-full", null])
})

test("a file that cannot be written fails no import and is told; one that cannot be read says nothing", async () => {
  const { file, start } = place()
  mkdirSync(`${file}.new`)
  const service = start()
  await begun(service)
  service.tell(live, { type: "done", decided: { identities: 1, days: 30 } })
  assert.equal((await service.newest()).state, "done")
  await assert.rejects(service.imports.settleDue(), /imports\.json cannot be written/)
  rmSync(`${file}.new`, { recursive: true })
  await service.imports.settleDue()
  assert.equal((await start().imports.list()).length, 1)
  for (const text of [
    "",
    "null",
    "[]",
    '{"format":3,"imports":[]}',
    '{"format":1,"imports":[{}]}',
    '{"format":2,"imports":[{}]}',
  ]) {
    writeFileSync(file, text)
    assert.deepEqual(await start().imports.list(), [], text)
  }
})

test("the last 20 are kept", async () => {
  const { start } = place()
  const service = start()
  for (let n = 0; n < 22; n++) {
    await begun(service)
    service.tell({ type: "failed", code: "input", message: `${n}` })
  }
  await service.imports.idle()
  const details = (await start().imports.list()).map(({ detail }) => detail)
  assert.deepEqual(
    details,
    Array.from({ length: 20 }, (_, n) => String(21 - n)),
  )
})
