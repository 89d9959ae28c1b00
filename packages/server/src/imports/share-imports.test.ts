import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { Catalogue } from "@assay/stores/exposure-index"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import type { KeptImport, KeptState } from "./import-states.ts"
import { shareImports } from "./share-imports.ts"

type Shared = ReturnType<typeof shareImports>

const folder = mkdtempSync(join(tmpdir(), "assay-share-imports-"))
// Nodes share PostgreSQL; all that is said of imports is the same statements in either.
const records = await openSqliteRecords({ file: join(folder, "records.sqlite"), auditKey })
await records.migrate()
after(async () => {
  await records.close()
  rmSync(folder, { recursive: true })
})

/** A node with imports of its own, and the records that it shares. */
async function nodeNamed(nodeId: string): Promise<{ own: KeptImport[]; shared: Shared }> {
  await records.beginNode({
    ...{ id: nodeId, host: "host", version: "1.0.0", indexFormat: 3, serves: "{}" },
    startedAt: Date.now(),
  })
  const own: KeptImport[] = []
  const states = (): KeptState[] => own.map(({ state }) => state)
  const find = (id: string): KeptState | undefined => states().find((state) => state.id === id)
  const imports = {
    list: async () => states(),
    get: async (id: string) => find(id) ?? null,
    read: async (id: string) => find(id) ?? null,
    stop: async (id: string) => find(id)?.state === "running",
    settleDue: async () => undefined,
  } as unknown as Parameters<typeof shareImports>[0]["imports"]
  const shared = shareImports({
    ...{ imports, records, nodeId, kept: () => [...own] },
    catalogue: async () => ({ batches: new Map(), sources: new Map() }) as unknown as Catalogue,
    isImporting: async () => false,
  })
  return { own, shared }
}

function kept(id: string, changes: Partial<KeptState>): KeptImport {
  const state: KeptState = {
    ...{ id, source: "forum", from: "upload", state: "running", phase: "reading" },
    ...{ done: 1, total: 1, rows: 1, rows_per_second: null, seconds_left: null },
    ...{ rejected: 0, phases: [], started_at: "2026-11-19T09:00:00.000Z", ended_at: null },
    ...{ detail: null, code: null, report: null },
    ...changes,
  }
  return { state, importedBy: "person:per_1" }
}

for (const [how, tell] of [
  ["list", async (shared, id) => (await shared.list()).find((each) => each.id === id)],
  ["state", async (shared, id) => await shared.get(id)],
  ["end of reading", async (shared, id) => await shared.read(id)],
] as const satisfies readonly (readonly [
  string,
  (shared: Shared, id: string) => Promise<KeptState | null | undefined>,
])[])
  test(`an import whose end one node has told by its ${how} is ended for every other node`, async () => {
    const id = `imp_${randomBytes(12).toString("hex")}`
    const [here, there] = [await nodeNamed(`here ${how}`), await nodeNamed(`there ${how}`)]
    here.own.push(kept(id, {}))
    await here.shared.settleDue()
    assert.equal((await there.shared.get(id))?.state, "running")
    assert.equal(await there.shared.stop(id), true)

    here.own[0] = kept(id, { state: "stopped", ended_at: "2026-11-19T09:00:01.000Z" })
    // Nobody was told that it has ended yet.
    assert.equal((await there.shared.get(id))?.state, "running")
    assert.equal((await tell(here.shared, id))?.state, "stopped")
    assert.equal((await there.shared.get(id))?.state, "stopped")
    assert.equal(await there.shared.stop(id), false)
  })
