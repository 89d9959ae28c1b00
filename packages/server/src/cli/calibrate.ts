import {
  explainEmail,
  fitCalibration,
  labelsLack,
  type Calibration,
  type CalibrationFit,
  type EmailInput,
  type EmailModel,
  type Label,
} from "@assay/core/score"
import { openDataDirectory } from "@assay/runtime/data-directory"
import type { Tenant } from "@assay/stores/records"
import { readTenantSettings, scoringSettings } from "../accounts/tenant-settings.ts"
import { readConfig } from "../base/config.ts"
import { readLabelFile, type LabelRow } from "../model-tools/label-file.ts"
import { sha256 } from "@assay/runtime/secrets"
import { currentModels, openModels } from "../score/models.ts"
import { decisionIn, readAllDecisions, type ReadDecisions } from "./decisions.ts"
import { knownTenant } from "./keys.ts"
import { withRecords } from "./records-access.ts"
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

/** What the command uses of a service. */
export interface CalibrationReach {
  /** The model that answers for the tenant, or for those who chose none. */
  readonly model: EmailModel
  /** Resolves to null for an id that is not known, or no longer. */
  decisionOf(id: string): Promise<PastDecision | null>
  /** Stores the calibration as the tenant's. */
  apply(calibration: Calibration): Promise<void>
}

/** Prints the calibration alone on standard output; what it improves is a note. */
export async function calibrate(
  options: CalibrateOptions,
  terminal: Terminal,
  reach: CalibrationReach,
): Promise<void> {
  const { model } = reach
  if (options.apply === true && options.tenant === undefined)
    throw new CommandError("Name the tenant with --tenant to use --apply")
  const rows = await readLabelFile(options.labels)
  const dated: DatedLabel[] = []
  for (const row of rows) dated.push(await datedLabel(row, reach))
  const fit = fitted(inOrderOfTime(dated), model)
  for (const line of report(fit, model)) terminal.note(line)
  terminal.print(JSON.stringify(fit.calibration))
  if (options.apply !== true) return
  if (!(fit.heldOut.after.logLoss < fit.heldOut.before.logLoss)) {
    throw new CommandError("Not applied: the log loss of the newest labels does not fall")
  }
  await reach.apply(fit.calibration)
  terminal.note(`Applied to tenant ${options.tenant ?? ""}.`)
}

interface DatedLabel extends Label {
  readonly atMs: number | null
}

async function datedLabel(
  { line, bad, atMs, answer }: LabelRow,
  { model, decisionOf }: CalibrationReach,
): Promise<DatedLabel> {
  if ("p" in answer) return { p: answer.p, floor: answer.floor, bad, atMs }
  if ("input" in answer) return { ...scored(line, answer.input as EmailInput, model), bad, atMs }
  const decision = await decisionOf(answer.decisionId)
  if (decision === null) throw new CommandError(`Line ${line}: there is no such decision`)
  return { ...scored(line, decision.input, model), bad, atMs: atMs ?? decision.atMs }
}

/**
 * What the model says of an input by itself: a calibration is fitted to that, not to an older
 * calibration.
 */
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

/**
 * Keeps the order of the file if no row has a time. Rows of which only some have one cannot be
 * sorted.
 */
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
  const lack = labelsLack(labels)
  if (lack !== null) throw new CommandError(lack)
  return fitCalibration(labels, model, sha256)
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

/**
 * Runs `work` with the model, decisions and settings of a tenant; without one, of the service as it
 * is shipped.
 */
export async function withCalibrationReach(
  name: string | undefined,
  terminal: Terminal,
  work: (reach: CalibrationReach) => Promise<void>,
): Promise<void> {
  const config = readConfig(terminal.env)
  const tenant =
    name === undefined
      ? null
      : await withRecords(config, async (records) => await knownTenant(name, records))
  // Labels that need no decision must not make a data directory.
  let opened: ReadDecisions | null = null
  try {
    await work({
      model: tenant === null ? currentModels.email : modelOf(tenant, config.dataDirectory),
      async decisionOf(id) {
        opened ??= await readAllDecisions(terminal)
        const decision = await decisionIn(opened, id)
        if (decision?.identityType !== "email") return null
        // What became of another tenant's customers says nothing about this one's.
        if (tenant !== null && decision.tenantId !== tenant.id) return null
        return { input: JSON.parse(decision.input) as EmailInput, atMs: decision.at }
      },
      apply: (calibration) =>
        withRecords(config, async (records) => {
          const { id: tenantId, settings } = await knownTenant(name ?? "", records)
          await records.setTenantSettings({
            tenantId,
            settings: { ...settings, calibration },
            at: terminal.now(),
            actor: terminal.user,
          })
        }),
    })
  } finally {
    await (opened as ReadDecisions | null)?.store.close()
  }
}

function modelOf({ settings }: Tenant, dataDirectory: string): CalibrationReach["model"] {
  const { emailModel } = scoringSettings(readTenantSettings(settings))
  return openModels(openDataDirectory(dataDirectory).models).email(emailModel)
}
