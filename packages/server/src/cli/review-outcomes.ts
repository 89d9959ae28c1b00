import { OUTCOME_DAYS_MAX, type OutcomeReport } from "@assay/core/contract"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { readDecisions } from "@assay/stores/open/open-database"
import { readConfig } from "../base/config.ts"
import { outcomeReport } from "../review/outcomes.ts"
import { openModels } from "../score/models.ts"
import { knownTenant } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import type { OutcomeOptions } from "./review.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Prints what is confirmed of past decisions, or the policy that follows from it. */
export async function printOutcomes(options: OutcomeOptions, terminal: Terminal): Promise<void> {
  const { days, json = false, policy = false } = options
  if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > OUTCOME_DAYS_MAX)
    throw new CommandError(`--days takes an integer from 1 to ${OUTCOME_DAYS_MAX}`)
  const report = await reported(options.tenant, Number(days), terminal)
  if (policy) printPolicy(report, terminal)
  else if (json) terminal.print(JSON.stringify(report, null, 2))
  else tablesOf(report).forEach(terminal.print)
}

async function reported(name: string, days: number, terminal: Terminal): Promise<OutcomeReport> {
  const config = readConfig(terminal.env)
  const models = openModels(openDataDirectory(config.dataDirectory).models)
  return await withRecords(config, async (records) => {
    const { id: tenantId } = await knownTenant(name, records)
    const decisions = await readDecisions(config)
    try {
      const of = { tenantId, days, nowMs: terminal.now() }
      return await outcomeReport({ records, decisions, models }, of)
    } finally {
      await decisions.close()
    }
  })
}

function printPolicy({ proposal }: OutcomeReport, terminal: Terminal): void {
  const { lacks, policy, held_out: heldOut, labels } = proposal
  if (policy === null || heldOut === null) throw new CommandError(lacks ?? "There is no proposal")
  const { before, after, cases } = heldOut
  terminal.note(
    `Fitted to ${labels} cases. On the ${cases} newest, by a fit to the older ones, the log loss goes from ${before.log_loss.toFixed(4)} to ${after.log_loss.toFixed(4)} and the calibration error from ${before.ece.toFixed(4)} to ${after.ece.toFixed(4)}.`,
  )
  terminal.print(JSON.stringify(policy, null, 2))
}

function tablesOf(report: OutcomeReport): string[] {
  const { confirmed, groups, calibration, drift, proposal } = report
  const { bad, good, cannot_tell: undecided } = confirmed
  return [
    `Confirmed since ${report.from}: ${bad} bad, ${good} good; ${undecided} nobody could tell.`,
    `Where fewer than ${report.cases_min} cases are confirmed, there is no share.`,
    ...(confirmed.cut ? ["There are more cases than a report reads: only the newest count."] : []),
    "",
    ...table(
      ["SUBJECT", "BAND", "ACTION", "CASES", "BAD", "SHARE", "BETWEEN"],
      groups.map(({ subject, band, action, ...counts }) => [
        ...[subject, band, action],
        ...countsOf(counts),
      ]),
    ),
    "",
    ...table(
      ["SUBJECT", "SCORES", "CASES", "BAD", "SHARE", "BETWEEN", "PREDICTED"],
      calibration.flatMap(({ subject, buckets }) =>
        buckets.map(({ from, to, predicted, ...counts }) => [
          ...[subject, `${from}-${to}`],
          ...countsOf(counts),
          percent(predicted),
        ]),
      ),
    ),
    ...calibration.map(
      ({ subject, error, cases }) =>
        `Calibration error of ${subject}: ${error === null ? `too few cases (${cases})` : error.toFixed(4)}`,
    ),
    "",
    ...table(
      ["MONTH", "SUBJECT", "CASES", "BAD", "SHARE", "BETWEEN", "PREDICTED"],
      drift.map(({ month, subject, predicted, ...counts }) => [
        ...[month, subject],
        ...countsOf(counts),
        percent(predicted),
      ]),
    ),
    "",
    proposal.lacks === null
      ? "A calibration can be proposed: --policy prints the policy with it."
      : `No calibration is proposed. ${proposal.lacks}.`,
  ]
}

type Counts = Pick<OutcomeReport["groups"][number], "cases" | "bad" | "share" | "interval">

function countsOf({ cases, bad, share, interval }: Counts): string[] {
  const between = interval === null ? "" : interval.map(percent).join(" to ")
  return [String(cases), String(bad), percent(share), between]
}

function percent(share: number | null): string {
  return share === null ? "" : `${(100 * share).toFixed(1)} %`
}
