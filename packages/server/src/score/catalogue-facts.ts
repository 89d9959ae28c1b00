import { EXPOSURE_KINDS, SIGNAL_TYPES } from "@assay/core/score"
import type { Catalogue } from "@assay/stores/exposure-index"
import { DAY_MS, dayOf } from "@assay/runtime/time"

/** What is known of a lookup before its result: which evidence there was to search. */
export interface CatalogueFacts {
  /** Live shared sources of e-mail evidence that act for the caller. */
  readonly sources: number
  readonly newestImport: string | null
  readonly credentialCoverage: number
  readonly darkwebCoverage: number
}

/**
 * Model 1.0, section 5.7: a family of sources counts in full while its newest import is younger
 * than this.
 */
const CREDENTIAL_FRESH_DAYS = 400
const DARKWEB_FRESH_DAYS = 180

const exposureKinds: ReadonlySet<string> = new Set(EXPOSURE_KINDS)
const signalTypes: ReadonlySet<string> = new Set(SIGNAL_TYPES)

type Remembered = WeakMap<Catalogue, { day: number; facts: CatalogueFacts }>
const rememberedForAll: Remembered = new WeakMap()
const rememberedForVerified: Remembered = new WeakMap()

/**
 * The facts of a catalogue on a day; worked out once per catalogue version and day. A sensitive
 * source acts for verified tenants only, so no other tenant learns that it was searched.
 */
export function catalogueFacts(
  catalogue: Catalogue,
  nowMs: number,
  verified: boolean,
): CatalogueFacts {
  const remembered = verified ? rememberedForVerified : rememberedForAll
  const day = Math.floor(nowMs / DAY_MS)
  const known = remembered.get(catalogue)
  if (known?.day === day) return known.facts
  const facts = factsOf(catalogue, nowMs, verified)
  remembered.set(catalogue, { day, facts })
  return facts
}

function factsOf(catalogue: Catalogue, nowMs: number, verified: boolean): CatalogueFacts {
  const importedAt = { exposure: new Map<number, number>(), signal: new Map<number, number>() }
  for (const batch of catalogue.batches.values()) {
    const source = catalogue.sources.get(batch.sourceId)
    if (
      batch.state !== "live" ||
      batch.owner !== "shared" ||
      batch.liveAt === null ||
      source === undefined ||
      (source.flags.sensitive && !verified)
    )
      continue
    const family = exposureKinds.has(source.kind)
      ? importedAt.exposure
      : signalTypes.has(source.kind)
        ? importedAt.signal
        : null
    family?.set(source.id, Math.max(family.get(source.id) ?? 0, batch.liveAt))
  }
  const newest = Math.max(0, ...importedAt.exposure.values(), ...importedAt.signal.values())
  return {
    sources: importedAt.exposure.size + importedAt.signal.size,
    newestImport: newest === 0 ? null : dayOf(newest),
    credentialCoverage: coverage(importedAt.exposure, nowMs, CREDENTIAL_FRESH_DAYS),
    darkwebCoverage: coverage(importedAt.signal, nowMs, DARKWEB_FRESH_DAYS),
  }
}

function coverage(
  importedAt: ReadonlyMap<number, number>,
  nowMs: number,
  freshDays: number,
): number {
  if (importedAt.size === 0) return 0
  return Math.max(...importedAt.values()) > nowMs - freshDays * DAY_MS ? 1 : 0.5
}
