import type { Sha256 } from "../identity/keys.ts"
import { totalOf, type Calibration, type CalibrationBounds } from "./calibration.ts"
import { brierScore, calibrationError, logLoss, rocAuc, type Outcome } from "./outcome-metrics.ts"
import { clip, logit, sigmoid, scaleOf, type ScaleDocument } from "./scale.ts"

/** The outcome of an identity, beside the model's probability without any calibration. */
export interface Label extends Outcome {
  /** The floor of the stage it was in, in points; null where there was none, or it is not known. */
  readonly floor: number | null
}

/** What a fit needs of a model. */
export interface CalibratedModel {
  readonly name: string
  readonly version: string
  readonly scale: ScaleDocument
  readonly calibration: CalibrationBounds
}

export interface Quality {
  readonly brier: number
  /** Expected calibration error over bins of equal mass. */
  readonly ece: number
  readonly logLoss: number
  readonly auc: number | null
}

export interface CalibrationFit {
  /** Fitted to all labels. */
  readonly calibration: Calibration & { readonly hash: string }
  readonly bad: number
  readonly good: number
  /** The same fit made from the older labels alone, judged by the newer ones it has not seen. */
  readonly heldOut: {
    readonly rows: number
    readonly bad: number
    readonly before: Quality
    readonly after: Quality
  }
}

/** Fewer would leave the slope to chance. */
export const BAD_LABELS_MIN = 200
export const CALIBRATION_BINS = 10
const FITTED_SHARE = 0.7
const NEWTON_STEPS_MAX = 100
const GRADIENT_SMALL = 1e-9
/** A and B are stored and hashed in their printed form. */
const DECIMALS = 6

/**
 * What labels, the oldest first, lack for a calibration, as a sentence: there are too few, or one
 * part of the time has only one outcome. null: they will do.
 */
export function labelsLack(labels: readonly Label[]): string | null {
  const bad = countBad(labels)
  const good = labels.length - bad
  if (bad < BAD_LABELS_MIN || good < bad) {
    return (
      `A calibration needs at least ${BAD_LABELS_MIN} bad outcomes and as many good ones; ` +
      `there are ${bad} bad and ${good} good`
    )
  }
  for (const [name, part] of Object.entries(partsOf(labels))) {
    const partBad = countBad(part)
    if (partBad === 0 || partBad === part.length) {
      return (
        `All ${part.length} ${name} labels have the same outcome, so nothing can be held out; ` +
        "labels must be in the order of time"
      )
    }
  }
  return null
}

function partsOf<L>(labels: readonly L[]): { older: readonly L[]; newer: readonly L[] } {
  const cut = Math.round(labels.length * FITTED_SHARE)
  return { older: labels.slice(0, cut), newer: labels.slice(cut) }
}

/**
 * Fits log-odds' = A · log-odds + B to labels, the oldest first, by the method of Platt (1999).
 * Throws where `labelsLack` names something.
 */
export function fitCalibration(
  labels: readonly Label[],
  model: CalibratedModel,
  sha256: Sha256,
): CalibrationFit {
  const lack = labelsLack(labels)
  if (lack !== null) throw new RangeError(lack)
  const bad = countBad(labels)
  const good = labels.length - bad
  const { older, newer } = partsOf(labels)
  const { A, B } = plattFit(labels, model.calibration)
  return {
    calibration: { A, B, hash: hashOf(A, B, model, sha256) },
    bad,
    good,
    heldOut: {
      rows: newer.length,
      bad: countBad(newer),
      before: qualityOf(newer),
      after: qualityOf(calibrated(newer, plattFit(older, model.calibration), model.scale)),
    },
  }
}

/** The scorer's result for the same identities with this calibration, floors included. */
export function calibrated(
  labels: readonly Label[],
  calibration: Calibration,
  scaleDocument: ScaleDocument,
): Outcome[] {
  const scale = scaleOf(scaleDocument)
  return labels.map(({ p, floor, bad }) => ({ p: totalOf(scale, p, calibration, floor).p, bad }))
}

export function qualityOf(outcomes: readonly Outcome[]): Quality {
  return {
    brier: brierScore(outcomes),
    ece: calibrationError(outcomes, CALIBRATION_BINS),
    logLoss: logLoss(outcomes),
    auc: rocAuc(outcomes),
  }
}

/**
 * The slope stays inside the bounds; where they hold it, the intercept is fitted to the slope they
 * gave.
 */
export function plattFit(labels: readonly Outcome[], bounds: CalibrationBounds): Calibration {
  const free = newton(labels, { A: 1, B: 0 }, true)
  const A = clip(free.A, bounds.slopeMin, bounds.slopeMax)
  // The loss is convex, so its lowest point within the bounds lies on the bound the free one
  // passed.
  const held = A === free.A ? free : newton(labels, { A, B: free.B }, false)
  return { A: rounded(held.A), B: rounded(held.B) }
}

interface Line {
  readonly A: number
  readonly B: number
}

/** Newton's method with halved steps (Lin, Lin and Weng 2007), over A and B or over B alone. */
function newton(labels: readonly Outcome[], start: Line, slopeToo: boolean): Line {
  const bad = countBad(labels)
  const good = labels.length - bad
  // Platt's targets: not quite 1 and 0, or separable labels would send the slope to infinity.
  const targetBad = (bad + 1) / (bad + 2)
  const targetGood = 1 / (good + 2)
  const xs = labels.map(({ p }) => logit(p))
  const targets = labels.map((label) => (label.bad ? targetBad : targetGood))

  let line = start
  let loss = lossOf(xs, targets, line)
  for (let step = 0; step < NEWTON_STEPS_MAX; step++) {
    let [gA, gB, hAA, hAB, hBB] = [0, 0, 0, 0, 0]
    for (const [i, x] of xs.entries()) {
      const p = sigmoid(line.A * x + line.B)
      const error = p - (targets[i] as number)
      const weight = p * (1 - p)
      gA += error * x
      gB += error
      hAA += weight * x * x
      hAB += weight * x
      hBB += weight
    }
    if (Math.abs(gB) < GRADIENT_SMALL && (!slopeToo || Math.abs(gA) < GRADIENT_SMALL)) return line
    const determinant = hAA * hBB - hAB * hAB
    // Labels of a single probability do not determine the slope.
    const both = slopeToo && determinant > 1e-12 * hAA * hBB
    const dA = both ? (hBB * gA - hAB * gB) / determinant : 0
    const dB = both ? (hAA * gB - hAB * gA) / determinant : gB / hBB
    const next = lowered(xs, targets, line, loss, dA, dB)
    if (next === null) return line
    ;({ line, loss } = next)
  }
  return line
}

/**
 * The line after the longest step that lowers the loss; null when no step does, which is the end.
 */
function lowered(
  xs: readonly number[],
  targets: readonly number[],
  { A, B }: Line,
  loss: number,
  dA: number,
  dB: number,
): { readonly line: Line; readonly loss: number } | null {
  for (let share = 1; share > 1e-10; share /= 2) {
    const line = { A: A - share * dA, B: B - share * dB }
    const reached = lossOf(xs, targets, line)
    if (reached < loss) return { line, loss: reached }
  }
  return null
}

function lossOf(xs: readonly number[], targets: readonly number[], { A, B }: Line): number {
  let loss = 0
  for (const [i, x] of xs.entries()) {
    const logOdds = A * x + B
    // ln(1 + e^z), written so that a large z does not overflow.
    const softplus = Math.max(logOdds, 0) + Math.log1p(Math.exp(-Math.abs(logOdds)))
    loss += softplus - (targets[i] as number) * logOdds
  }
  return loss
}

// The model belongs to the name: the same numbers mean something else on top of other weights.
function hashOf(A: number, B: number, { name, version }: CalibratedModel, sha256: Sha256): string {
  const digest = sha256(new TextEncoder().encode(`calibration ${name} ${version} ${A} ${B}`))
  return digest.slice(0, 16).reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), "")
}

function countBad(labels: readonly Outcome[]): number {
  return labels.reduce((count, { bad }) => count + (bad ? 1 : 0), 0)
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS)) + 0
}
