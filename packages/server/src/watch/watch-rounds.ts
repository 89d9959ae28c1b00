import { setImmediate as nextTurn } from "node:timers/promises"
import { hash } from "node:crypto"
import { Explained } from "@assay/runtime/explained"
import { HOUR_MS } from "@assay/runtime/time"
import { derivedEventId } from "@assay/stores/event-id"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Records, Tenant } from "@assay/stores/records"
import type { NewEvent } from "@assay/stores/records-events"
import type { DueWatchItem, WatchOutcome } from "@assay/stores/records-watch"
import { tenantCaller } from "../accounts/callers.ts"
import type { Models } from "../score/models.ts"
import { changeOf } from "./hysteresis.ts"
import type { MatchBatches } from "./match-batches.ts"
import { nextChangeAt } from "./next-change.ts"
import type { Tenants } from "./tenants.ts"
import type { UpdateDomains } from "./update-domains.ts"
import { standingOf, type WatchedAssessment, watchedScorer } from "./watched-scorer.ts"

interface RoundOptions {
  readonly records: Pick<
    Records,
    "accountsVersion" | "tenants" | "setWatchPolicies" | "dueWatchItems" | "settleWatchItems"
  >
  readonly index: Pick<ExposureIndex, "lookup">
  readonly models: Models
  readonly updateDomains: UpdateDomains
  readonly matchBatches: MatchBatches
  /** Whether the service stops: what is left is due at the next start. */
  readonly isEnding: () => boolean
  readonly now: () => number
}

/** Read, scored and written together. */
const ITEMS_AT_ONCE = 200
/** A millisecond or two of scoring, after which others have their turn. */
const ITEMS_IN_TURN = 20
/** After which the next round first follows what changed meanwhile. */
const PAGES_IN_ROUND = 50
/** How long an item waits whose tenant is newer than the round. */
const NEXT_ROUND_MS = 1_000
/** How long an item waits whose tenant's policy cannot be followed. */
const POSTPONED_MS = HOUR_MS

/**
 * A round follows what changed since the last one: policies, lists, batches that went live. All of
 * that only makes items due. Then those that are due are scored, whatever made them so, and what is
 * to be told is written with what was told in one transaction: a process that is killed anywhere
 * leaves items due, and none that was told twice.
 */
export function watchRounds(options: RoundOptions): () => Promise<void> {
  const { records, index, models, updateDomains, matchBatches, isEnding, now } = options
  let followed: number | null = null
  let tenants: Tenants = new Map()

  /** Reads whom to score for, and has all items of a tenant scored again whose policy changed. */
  async function followPolicies(): Promise<void> {
    const version = await records.accountsVersion()
    if (version === followed) return
    const all = await records.tenants()
    tenants = callersOf(all)
    await records.setWatchPolicies(
      all.map((tenant) => ({ tenantId: tenant.id, policy: policyOf(tenant) })),
    )
    followed = version
  }

  async function scoreDue(): Promise<void> {
    for (let page = 0; page < PAGES_IN_ROUND && !isEnding(); page++) {
      const due = await records.dueWatchItems({ at: now(), limit: ITEMS_AT_ONCE })
      const outcomes: WatchOutcome[] = []
      for (const [place, item] of due.entries()) {
        if (place % ITEMS_IN_TURN === ITEMS_IN_TURN - 1) await nextTurn()
        outcomes.push(await scored(item))
      }
      await records.settleWatchItems(outcomes)
      if (due.length < ITEMS_AT_ONCE) return
    }
  }

  async function scored(item: DueWatchItem): Promise<WatchOutcome> {
    const caller = tenants.get(item.tenantId)
    if (caller === undefined) return postponed(item, NEXT_ROUND_MS)
    if (caller === null) return postponed(item, POSTPONED_MS)
    const found = await index.lookup(item.identityKey, item.tenantId)
    try {
      return outcomeOf(item, watchedScorer(item, found, caller, models), now())
    } catch (error) {
      if (error instanceof Explained && error.code === "model-not-loaded")
        return postponed(item, POSTPONED_MS)
      throw error
    }
  }

  function postponed(item: DueWatchItem, waitMs: number): WatchOutcome {
    const { id, revision, told, roseAt } = item
    return { id, revision, told, roseAt, dueAt: now() + waitMs, event: null }
  }

  return async () => {
    await followPolicies()
    await updateDomains(tenants)
    await matchBatches(tenants)
    await scoreDue()
  }
}

/** What comes of an item that stands so: what is told, and when it is looked at again. */
export function outcomeOf(
  item: DueWatchItem,
  scorer: ReturnType<typeof watchedScorer>,
  nowMs: number,
): WatchOutcome {
  const { id, revision } = item
  const current = scorer.assess(nowMs)
  const standing = standingOf(current)
  const before =
    item.told === null ? null : { standing: standingOf(item.told), roseAt: item.roseAt }
  const change =
    before === null ? null : changeOf(before, standing, nowMs, item.cause === "feedback")
  const isNew = before === null || change !== null
  const told = isNew ? toldOf(current) : (item.told ?? toldOf(current))
  const roseAt = change === "rise" ? nowMs : item.roseAt
  const last = { standing: standingOf(told), roseAt }
  return {
    id,
    revision,
    told,
    roseAt,
    dueAt: nextChangeAt(last, nowMs, scorer.step, scorer.standing),
    event: change === null ? null : changeEvent(item, current, nowMs),
  }
}

function toldOf({ risk_reasons: _reasons, ...told }: WatchedAssessment) {
  return told
}

function changeEvent(item: DueWatchItem, current: WatchedAssessment, nowMs: number): NewEvent {
  const { id, tenantId, identityType, identityKey, ref, sealed, revision } = item
  const kind = identityType === "email" ? "risk.email.changed" : "risk.phone.changed"
  return {
    id: derivedEventId(["watch", id, revision, kind]),
    tenantId,
    kind,
    at: nowMs,
    ref,
    identityKey,
    sealed,
    data: { ref, cause: item.cause, previous: item.told, current },
  }
}

/** For whom is scored, of tenants as they are. */
export function callersOf(tenants: readonly Tenant[]): Tenants {
  return new Map(
    tenants.map((tenant) => {
      try {
        return [tenant.id, tenantCaller(tenant)]
      } catch (error) {
        if (!(error instanceof Explained)) throw error
        return [tenant.id, null]
      }
    }),
  )
}

const POLICY_DIGITS = 16

/** Names all by which a tenant's identities are scored, besides evidence. */
function policyOf({ plan, settings }: Tenant): string {
  return hash("sha256", JSON.stringify([plan, settings])).slice(0, POLICY_DIGITS)
}
