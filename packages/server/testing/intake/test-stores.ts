import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, type TestContext } from "node:test"
import type { IdentityType } from "@assay/core/identity"
import { isExplained } from "@assay/runtime/explained"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import type { Records } from "@assay/stores/records"
import type { IdempotencyClaim } from "@assay/stores/records-idempotency"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { hashOf, newKey } from "@assay/stores/testing/records-suite"
import { type EvidenceWriter, openEvidenceWriter } from "../../src/intake/evidence-writer.ts"

export const alice = hashOf("alice").slice(0, 16)
export const bob = hashOf("bob").slice(0, 16)
export const start = Date.UTC(2026, 10, 14, 15)
export const now = (): number => start

/** What a writer fails with while the index is away. */
export const UNAVAILABLE = { name: "RecordsError", code: "unavailable" }

export function assertOverloaded(error: unknown): void {
  assert.ok(isExplained(error, "overloaded"), String(error))
}

export function identityKeys(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, n) => hashOf(`identity ${n}`).slice(0, 16))
}

/** A request's claim to its idempotency key, named by `name`. */
export function claimOf(route: IdempotencyClaim["route"], name: string): IdempotencyClaim {
  return { keyId: "k1", route, keyHash: hashOf(name), fingerprint: hashOf("body") }
}

const folder = mkdtempSync(join(tmpdir(), "assay-intake-"))
after(() => rmSync(folder, { recursive: true }))
let opened = 0

export interface TestStores {
  readonly records: Records
  readonly index: ExposureIndex
}

export interface EvidencePlace extends TestStores {
  readonly writer: EvidenceWriter
}

/** An empty index, closed after the test. */
export async function newIndex(t: TestContext): Promise<ExposureIndex> {
  const index = await openIndex()
  t.after(() => index.close())
  return index
}

async function openIndex(): Promise<ExposureIndex> {
  return await openLmdbIndex({ path: join(folder, `${++opened}-index`) })
}

/** Empty records and an empty index, closed after the test. */
export async function testStores(t: TestContext): Promise<TestStores> {
  const records = await openSqliteRecords({
    file: join(folder, `${++opened}.sqlite`),
    auditKey: new Uint8Array(32),
  })
  await records.migrate()
  t.after(() => records.close())
  return { records, index: await newIndex(t) }
}

/** The same, with a writer of evidence on them. */
export async function evidencePlace(t: TestContext): Promise<EvidencePlace> {
  const stores = await testStores(t)
  return { ...stores, writer: openEvidenceWriter({ ...stores, now }) }
}

/** Erases a subject as the service does, in the records and in the index. */
export async function erase(
  { records, index }: TestStores,
  identityKey: Uint8Array,
  identityType: IdentityType,
): Promise<void> {
  await records.eraseSubject({
    ...{ identityKey, identityType, tenantId: null, at: start, actor: "test" },
    ...{ reason: "subject_request", reference: null },
  })
  await index.erase(identityKey)
}

/** Two tenants; the first has the key k1, the other k2. */
export async function testTenants(
  records: Records,
  plan: "enterprise" | "free",
): Promise<{ readonly tenantId: number; readonly otherId: number }> {
  const made = { plan, at: start, actor: "test" }
  const { id: tenantId } = await records.createTenant({ name: "A", ...made })
  const { id: otherId } = await records.createTenant({ name: "B", ...made })
  await records.createKey(newKey("k1", { tenantId }))
  await records.createKey(newKey("k2", { tenantId: otherId }))
  return { tenantId, otherId }
}

/** An index whose `method` fails while it is away; everything else goes on. */
export async function failing(
  index: ExposureIndex,
  method: "addSharedEvidence" | "addTenantEvidence" | "restateTenantEvidence",
  isAway: () => boolean,
): Promise<ExposureIndex> {
  const closed = await openIndex()
  await closed.close()
  const write = (...args: unknown[]): unknown =>
    (isAway() ? closed : index)[method](...(args as [never, never, never, never]))
  return { ...index, [method]: write }
}

/** What the index says of an identity to a tenant: kind, day and source. */
export async function said(
  index: ExposureIndex,
  key: Uint8Array,
  tenantId: number | null,
): Promise<string[]> {
  const { entries, catalogue } = await index.lookup(key, tenantId)
  const sourceOf = (batchId: number): string | undefined =>
    catalogue.sources.get(catalogue.batches.get(batchId)?.sourceId ?? 0)?.name
  return entries.map(
    ({ kind, hours, batchId }) => `${kind} ${hours / 24} ${sourceOf(batchId) ?? ""}`,
  )
}
