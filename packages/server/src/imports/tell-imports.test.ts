import assert from "node:assert/strict"
import { test } from "node:test"
import { EVENTS } from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import type { Batch, Catalogue } from "@assay/stores/exposure-index"
import type { NewEvent } from "@assay/stores/records-events"
import { Value } from "typebox/value"
import { closed } from "../../../core/testing/closed.ts"
import { finishedByCommand } from "./import-events.ts"
import type { KeptState } from "./import-states.ts"
import { tellImports } from "./tell-imports.ts"

const NOW = Date.UTC(2026, 10, 18, 9)

function state(id: string, changes: Partial<KeptState>): KeptState {
  return {
    ...{ id, source: "forum", from: "upload", state: "done", phase: "counting" },
    ...{ done: 1, total: 1, rows: 1, rows_per_second: null, seconds_left: null },
    ...{ rejected: 0, phases: [] },
    ...{ started_at: new Date(NOW - 60_000).toISOString(), ended_at: new Date(NOW).toISOString() },
    ...{ detail: null, code: null, report: null },
    ...changes,
  }
}

const report: NonNullable<KeptState["report"]> = {
  ...{ changed: true, batch: 4, rows: 13, imported: 7, known: 3, repeated: 1, rejected: 2 },
  ...{ rejects: [], identities: 8, circulates: false, same_as: null, decided: null },
}

/** A service over some states, and what it told. */
function service(
  states: readonly KeptState[],
  batches: readonly Partial<Batch>[] = [],
): {
  importing: { now: boolean }
  settle(): Promise<void>
  told: NewEvent[]
  records: { areDown: boolean }
} {
  const told: NewEvent[] = []
  const records = { areDown: false }
  const importing = { now: false }
  const catalogue = {
    version: 7,
    batches: new Map(batches.map((batch, n) => [n, batch])),
    sources: new Map([[3, { name: "forum" }]]),
  } as unknown as Catalogue
  const imports = tellImports({
    imports: {
      list: async () => [...states],
      settleDue: async () => undefined,
    } as unknown as Parameters<typeof tellImports>[0]["imports"],
    async addEvents(events) {
      if (records.areDown) throw new Error("The records are away")
      told.push(...events)
      return events.length
    },
    catalogue: async () => catalogue,
    isImporting: async () => importing.now,
    now: () => NOW,
  })
  return { importing, settle: async () => await imports.settleDue(), told, records }
}

test("imports that ended are told once, as the contract has it, and those that run or were stopped are not", async () => {
  const states = [
    state("imp_1", { report }),
    state("imp_2", {}),
    state("imp_3", { state: "failed", code: "input", detail: "No line could be read" }),
    state("imp_4", { state: "stopped" }),
    state("imp_5", { state: "running", ended_at: null }),
    state("imp_6", { report, ended_at: new Date(NOW - 31 * DAY_MS).toISOString() }),
  ]
  const { settle, told } = service(states)
  await settle()
  await settle()
  const { changed: _, rejects: _rejects, circulates, same_as, decided, ...counts } = report
  assert.deepEqual([circulates, same_as, decided], [false, null, null])
  assert.deepEqual(
    told.map(({ kind, tenantId, at, data }) => ({ kind, tenantId, at, data })),
    [
      { kind: "import.finished", data: { import_id: "imp_1", source: "forum", report: counts } },
      { kind: "import.finished", data: { import_id: "imp_2", source: "forum", report: null } },
      {
        kind: "import.failed",
        data: {
          ...{ import_id: "imp_3", source: "forum" },
          ...{ code: "input", detail: "No line could be read" },
        },
      },
    ].map((each) => ({ ...each, tenantId: null, at: NOW })),
  )
  for (const { kind, data } of told) assert.ok(Value.Check(closed(EVENTS[kind].data), data), kind)
})

test("what could not be told is told later, and the next service tells the same by the same id", async () => {
  const states = [state("imp_1", { report })]
  const first = service(states)
  first.records.areDown = true
  await assert.rejects(first.settle(), /away/)
  first.records.areDown = false
  await first.settle()
  assert.equal(first.told.length, 1)
  const second = service(states)
  await second.settle()
  assert.deepEqual(second.told, first.told)
})

test("of a command that was killed before it told, the batch that counts is told once it runs no more", async () => {
  const batch: Partial<Batch> = {
    ...{ id: 4, sourceId: 3, owner: "shared", state: "live" },
    ...{ fingerprint: "f4", liveAt: NOW - 60_000, importedBy: "shell:root" },
  }
  const { importing, settle, told } = service(
    [],
    [
      batch,
      { ...batch, id: 5, importedBy: "key:k1" },
      { ...batch, id: 6, state: "removed" },
      { ...batch, id: 7, liveAt: NOW - 31 * DAY_MS },
    ],
  )
  importing.now = true
  await settle()
  assert.deepEqual(told, [])
  importing.now = false
  await settle()
  await settle()
  const made = finishedByCommand(batch as Batch, "forum", report, NOW)
  assert.deepEqual(
    told.map(({ id, kind, at, data }) => ({ id, kind, at, data })),
    [
      {
        // As the command would have told it.
        ...{ id: made.id, kind: "import.finished", at: NOW - 60_000 },
        data: { ...made.data, report: null },
      },
    ],
  )
  const { data } = made as { data: { import_id: string } }
  assert.match(data.import_id, /^imp_[0-9a-f]{24}$/)
})
