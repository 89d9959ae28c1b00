import { BatchRefused, knownBatch, type Batch, type Catalogue, type Owner } from "./catalogue.ts"
import { KEY_BYTES, type Row } from "./exposure-index.ts"

const TENANT_ID_MAX = 0xffff_ffff

export function requireKey(key: Uint8Array): void {
  if (key.length !== KEY_BYTES) throw new RangeError(`an identity key has ${KEY_BYTES} bytes`)
}

export function requireTenantId(tenantId: number): void {
  if (!Number.isInteger(tenantId) || tenantId < 0 || tenantId > TENANT_ID_MAX) {
    throw new RangeError(`a tenant id is an integer from 0 to ${TENANT_ID_MAX}`)
  }
}

/** A row whose entries all name batches that take them. */
export function requireRow({ key, entries }: Row, isOpen: (batchId: number) => boolean): void {
  requireKey(key)
  for (const { batchId } of entries) {
    if (!isOpen(batchId)) throw new BatchRefused(`Batch ${batchId} does not take these entries`)
  }
}

/** The batch, which must be loading. */
export function requireLoading(catalogue: Catalogue, batchId: number): Batch {
  const batch = knownBatch(catalogue, batchId)
  if (batch.state !== "loading") throw new BatchRefused(`Batch ${batchId} is ${batch.state}`)
  return batch
}

/** Whether the batch is live and its owner's: a tenant, or everybody. */
export function isOwnLive(catalogue: Catalogue, owner: Owner, batchId: number): boolean {
  const batch = catalogue.batches.get(batchId)
  return batch?.state === "live" && batch.owner === owner
}

export function requireOwnLive(catalogue: Catalogue, tenantId: number, batchId: number): void {
  if (isOwnLive(catalogue, tenantId, batchId)) return
  throw new BatchRefused(`Batch ${batchId} is no live batch of the tenant's`)
}
