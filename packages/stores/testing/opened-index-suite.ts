import type { TestContext } from "node:test"
import type { Entry } from "../src/entry.ts"
import { breach } from "./entry-samples-suite.ts"
import { source } from "./exposure-index-process-suite.ts"
import type { ExposureIndex, Found, Row } from "../src/exposure-index.ts"

/** A test's own index, and its place. */
export interface Opened {
  readonly index: ExposureIndex
  readonly directory: string
}

/** Opens an empty index and closes it with the test. */
export type OpenNew = (t: TestContext) => Promise<Opened>

export function row(key: Uint8Array, batchId: number): Row {
  return { key, entries: [{ ...breach, batchId }] }
}

export function days(count: number, batchId: number, kind: Entry["kind"]): Entry[] {
  return Array.from({ length: count }, (_, i) => ({
    ...breach,
    kind,
    hours: 24 * (i + 1),
    batchId,
  }))
}

/** A live batch of the tenant's own without entries. */
export async function ownBatch(
  index: ExposureIndex,
  name: string,
  tenantId: number,
): Promise<number> {
  const { id } = await index.openBatch({ ...source, name }, name, 1, tenantId)
  await index.goLive(id, { rows: 0, identities: 0 }, 2)
  return id
}

export async function importedBatch(
  index: ExposureIndex,
  fingerprint: string,
  keys: readonly Uint8Array[],
): Promise<number> {
  const { id } = await index.openBatch(source, fingerprint, 1)
  await index.merge(
    id,
    keys.map((key) => row(key, id)),
  )
  await index.goLive(id, { rows: keys.length, identities: keys.length }, 2)
  return id
}

/**
 * The answer without the catalogue, which differs between two moments that are otherwise the same.
 */
export function seen({ entries, cut }: Found): Pick<Found, "entries" | "cut"> {
  return { entries, cut }
}
