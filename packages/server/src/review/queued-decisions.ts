import type { NewEvent } from "@assay/stores/records-events"
import type { NewReview } from "@assay/stores/records-reviews"
import { decisionEvents, type ToldDecision } from "./decision-events.ts"

/** A decision that waits for an analyst, or is told by events, or both. */
export interface QueuedDecision extends ToldDecision {
  readonly waits: boolean
}

/** What goes into the records about decisions, which holds most of them three times. */
export function rowsAbout(queued: readonly QueuedDecision[]): {
  reviews: readonly NewReview[]
  events: readonly NewEvent[]
} {
  return { reviews: queued.filter(({ waits }) => waits), events: queued.flatMap(decisionEvents) }
}

/**
 * Decisions as one text, in which they go from the thread that finds them through the primary to
 * the one that writes the records. Objects would be cloned at each step, and as rows.
 */
export function queuedText(queued: readonly QueuedDecision[]): string {
  return JSON.stringify(queued.map(lineOf))
}

export function readQueued(text: string): QueuedDecision[] {
  return (JSON.parse(text) as Line[]).map(queuedOf)
}

type Line = ReturnType<typeof lineOf>

function lineOf(queued: QueuedDecision) {
  const { id, at, tenantId, keyId, identityKey, identityType, modelVersion, reasons, ref } = queued
  const { action, stage, score, band, kinds, waits, olderJournal } = queued
  return [
    ...([id, at, tenantId, keyId, identityKey.toHex(), identityType, modelVersion] as const),
    ...([reasons, ref, action, stage, score, band, kinds, waits, olderJournal] as const),
  ] as const
}

function queuedOf(line: Line): QueuedDecision {
  const [id, at, tenantId, keyId, key, identityType, modelVersion, reasons, ref, ...outcome] = line
  const [action, stage, score, band, kinds, waits, olderJournal] = outcome
  const identityKey = Uint8Array.fromHex(key)
  return {
    ...{ id, at, tenantId, keyId, identityKey, identityType, modelVersion, reasons, ref },
    ...{ action, stage, score, band, kinds, waits, olderJournal },
  }
}
