import { ALL_KINDS } from "./credential.ts"
import { dateBefore } from "./date.ts"
import type { EmailInput } from "./email-input.ts"
import type { EmailPass } from "./email-pass.ts"
import type { EmailWeights } from "./email-weights.ts"
import type { Item } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { effectiveStage, isBeforeRotation, StageEvidence } from "./stage.ts"
import {
  EMAIL_EVIDENCE_KINDS,
  stageName,
  STAGES,
  type EmailEvidenceKind,
  type Stage,
} from "./vocabulary.ts"

export interface ExplainedStage {
  readonly name: Stage
  /** Percent of the lifecycle. */
  readonly marker: number
  readonly floor: number | null
  readonly cap: number
  /** What holds the credential points where they are: the stage's floor, its cap, or neither. */
  readonly held_by: "floor" | "cap" | "none"
  /** The fewest items that carry the stage, the most trusted first. */
  readonly evidence: readonly StageItem[]
  /** When the stage falls if nothing new arrives, and to what; null when it never does. */
  readonly next_step_down: { readonly date: string; readonly stage: Stage } | null
}

export interface StageItem {
  readonly kind: EmailEvidenceKind
  readonly source: string
  readonly date: string
  readonly conf: number
}

/** An item with what does not change as time passes. */
interface Dated {
  readonly item: Item
  readonly rotated: boolean
}

export function explainedStage(
  { weights, evidence, risk, stage }: EmailPass,
  input: EmailInput,
  model: EmailModel,
): ExplainedStage {
  const items = evidence.items(input).map((item) => ({
    item,
    rotated: isBeforeRotation(item.age, input.rotatedAge ?? null),
  }))
  const { raw, floor, cap } = risk
  return {
    name: stage,
    marker: STAGES[risk.stage]?.marker ?? 0,
    floor,
    cap,
    held_by: floor !== null && raw < floor ? "floor" : raw > cap ? "cap" : "none",
    evidence: carrying(items, risk.stage, model, weights).map(
      ({ kind, sourceName, age, conf }) => ({
        kind: EMAIL_EVIDENCE_KINDS[kind] as EmailEvidenceKind,
        source: sourceName,
        date: dateBefore(input.as_of, age),
        conf,
      }),
    ),
    next_step_down: nextStepDown(items, risk.stage, input.as_of, model, weights),
  }
}

// One item a source, taken by trust until the stage is certain, as the stage itself is found.
function carrying(
  items: readonly Dated[],
  stage: number,
  model: EmailModel,
  weights: EmailWeights,
): Item[] {
  if (stage === 0) return []
  const candidates = items
    .filter(
      ({ item, rotated }) =>
        effectiveStage(item.kind, item.secret, item.age, rotated, weights) >= stage,
    )
    .map(({ item }) => item)
    .sort((a, b) => b.conf - a.conf || a.age - b.age || byCodeUnit(a.sourceName, b.sourceName))
  const { certainty, tolerance } = model.stages
  const sources = new Set<number>()
  const taken: Item[] = []
  let doubt = 1
  for (const item of candidates) {
    if (1 - doubt >= certainty - tolerance) break
    if (sources.has(item.source)) continue
    sources.add(item.source)
    taken.push(item)
    doubt *= 1 - item.conf
  }
  return taken
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function nextStepDown(
  items: readonly Dated[],
  stage: number,
  asOf: string,
  model: EmailModel,
  weights: EmailWeights,
): ExplainedStage["next_step_down"] {
  const evidence = new StageEvidence(model.stages)
  for (const days of daysOfChange(items, weights)) {
    const later = stageAfter(items, days, evidence, weights)
    if (later < stage) return { date: dateBefore(asOf, -days), stage: stageName(later) }
  }
  return null
}

/** The days from now on which some item loses a stage, soonest first. */
function daysOfChange(items: readonly Dated[], weights: EmailWeights): number[] {
  const days = new Set<number>()
  for (const { item, rotated } of items) {
    const native = effectiveStage(item.kind, item.secret, 0, rotated, weights)
    const windowDays = weights.stages[native]?.windowDays ?? Infinity
    if (windowDays === Infinity) continue
    for (let steps = 1; steps < native; steps++) {
      const left = Math.ceil(steps * windowDays - item.age)
      if (left > 0) days.add(left)
    }
  }
  return [...days].sort((a, b) => a - b)
}

function stageAfter(
  items: readonly Dated[],
  days: number,
  evidence: StageEvidence,
  weights: EmailWeights,
): number {
  evidence.clear()
  for (const { item, rotated } of items) {
    const age = item.age + days
    const stage = effectiveStage(item.kind, item.secret, age, rotated, weights)
    if (stage !== 0) evidence.add(1 << item.kind, item.source, item.conf, age, stage)
  }
  return evidence.close().stage(ALL_KINDS)
}
