import {
  explainEmail,
  fitCalibration,
  LabelsFault,
  type Calibration,
  type CalibrationFit,
  type EmailInput,
  type EmailModel,
  type Label,
} from "@assay/core/score"
import { readLabelFile, type LabelRow } from "../score/label-file.ts"
import { currentModels } from "../score/models.ts"
import { sha256 } from "../secrets.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface CalibrateOptions {
  readonly labels: string
  readonly tenant?: string
  readonly apply?: boolean
}

/** What a decision kept of the moment it was made. */
export interface PastDecision {
  readonly input: EmailInput
  readonly atMs: number
}

/** What the command may use of a service; null where it has no such thing. */
export interface CalibrationReach {
  /** Resolves to null for an id that is not known, or no longer. */
  readonly decisionOf: ((id: string) => Promise<PastDecision | null>) | null
  /** Makes the calibration that of the tenant. */
  readonly apply: ((tenant: string, calibration: Calibration) => Promise<void>) | null
}

/** Prints the calibration alone on standard output; what it improves is a note. */
export async function calibrate(
  options: CalibrateOptions,
  terminal: Terminal,
  reach: CalibrationReach,
): Promise<void> {
  const applied = options.apply === true ? applier(options, reach) : null
  const model = currentModels.email
  const rows = await readLabelFile(options.labels)
  const dated: DatedLabel[] = []
  for (const row of rows) dated.push(await datedLabel(row, model, reach))
  const fit = fitted(inOrderOfTime(dated), model)
  for (const line of report(fit, model)) terminal.note(line)
  terminal.print(JSON.stringify(fit.calibration))
  if (applied === null) return
  if (!(fit.heldOut.after.logLoss < fit.heldOut.before.logLoss)) {
    throw new CommandError("Not applied: the log loss of the newest labels does not fall")
  }
  await applied(fit.calibration)
  terminal.note(`Applied to tenant ${options.tenant ?? ""}.`)
}

/** Known before any work is done, so that a wrong call costs nothing. */
function applier(
  { tenant }: CalibrateOptions,
  { apply }: CalibrationReach,
): (calibration: Calibration) => Promise<void> {
  if (tenant === undefined) throw new CommandError("Name the tenant with --tenant to use --apply")
  if (apply === null) throw new CommandError("This service keeps no settings of tenants")
  return async (calibration) => await apply(tenant, calibration)
}

interface DatedLabel extends Label {
  readonly atMs: number | null
}

async function datedLabel(
  { line, bad, atMs, told }: LabelRow,
  model: EmailModel,
  { decisionOf }: CalibrationReach,
): Promise<DatedLabel> {
  if ("p" in told) return { p: told.p, floor: told.floor, bad, atMs }
  if ("input" in told) return { ...scored(line, told.input as EmailInput, model), bad, atMs }
  if (decisionOf === null) throw new CommandError(`Line ${line}: this service keeps no decisions`)
  const decision = await decisionOf(told.decisionId)
  if (decision === null) throw new CommandError(`Line ${line}: there is no such decision`)
  return { ...scored(line, decision.input, model), bad, atMs: atMs ?? decision.atMs }
}

/** What the model says of an input by itself: a calibration is fitted to that, not to an older calibration. */
function scored(line: number, input: EmailInput, model: EmailModel): Omit<Label, "bad"> {
  const settings = { ...input.settings, calibration: null }
  try {
    const { p, stage } = explainEmail({ ...input, settings }, model)
    if (p > 0 && p < 1) return { p, floor: stage.floor }
  } catch (error) {
    throw new CommandError(`Line ${line}: input is none the model can score`, { cause: error })
  }
  throw new CommandError(`Line ${line}: input is none the model can score`)
}

/** The order of the file where no row has a time; a part of the rows with one cannot be put in order. */
function inOrderOfTime(labels: readonly DatedLabel[]): readonly DatedLabel[] {
  const without = labels.filter(({ atMs }) => atMs === null).length
  if (without === labels.length) return labels
  if (without > 0) {
    throw new CommandError(
      `${without} of ${labels.length} labels have no time: give all or none one`,
    )
  }
  return labels.toSorted((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0))
}

function fitted(labels: readonly Label[], model: EmailModel): CalibrationFit {
  try {
    return fitCalibration(labels, model, sha256)
  } catch (error) {
    if (error instanceof LabelsFault) throw new CommandError(error.message, { cause: error })
    throw error
  }
}

function report({ bad, good, heldOut }: CalibrationFit, { name, version }: EmailModel): string[] {
  const { rows, before, after } = heldOut
  const measured = [
    ["Brier score", before.brier, after.brier],
    ["calibration error", before.ece, after.ece],
    ["log loss", before.logLoss, after.logLoss],
    ["AUC", before.auc, after.auc],
  ] as const
  return [
    `${bad + good} labels, ${bad} bad and ${good} good, of model ${name} ${version}.`,
    `Measured on the ${rows} newest, ${heldOut.bad} bad, by a fit to the older ones:`,
    ...table(
      ["MEASURE", "BEFORE", "AFTER"],
      measured.map(([measure, ...values]) => [
        measure,
        ...values.map((value) => (value === null ? "" : value.toFixed(4))),
      ]),
    ),
    "The calibration, fitted to all labels:",
  ]
}
