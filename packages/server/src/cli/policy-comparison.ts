import type { Decision } from "@assay/stores/decisions"
import { dayOf, DAY_MS } from "@assay/runtime/time"
import {
  type ChangedDecision,
  type Compare,
  compareAll,
  type ComparisonCounts,
} from "../policy/comparison.ts"
import { decisionPages } from "../policy/decision-pages.ts"
import { readAllDecisions, type ReadDecisions } from "./decisions.ts"
import { type ProgressScreen, showLines } from "./progress.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface ComparisonOptions {
  readonly tenant: string
  readonly days: string
  readonly json?: boolean
}

const DAYS_MAX = 90
/** Changed decisions named in a table; JSON has all of them. */
const NAMED_MAX = 50
const PLAIN_MS = 10_000

interface PrintedComparison {
  readonly tenantId: number
  readonly days: number
  readonly asJson: boolean
  readonly comparison: (counts: ComparisonCounts) => Compare
}

/** Compares a tenant's past decisions and prints which actions would have been others. */
export async function printComparison(
  { tenantId, days, asJson, comparison }: PrintedComparison,
  terminal: Terminal,
  screen: ProgressScreen,
): Promise<void> {
  const from = terminal.now() - days * DAY_MS
  const named: ChangedDecision[] = []
  const startedAt = performance.now()
  const seconds = (): number => (performance.now() - startedAt) / 1000
  let seen = 0
  let reachedMs = terminal.now()
  const hide = showLines(screen, PLAIN_MS, () => progressText(seen, seconds(), reachedMs))
  const decisions = await readAllDecisions(terminal)
  let counts: ComparisonCounts
  try {
    counts = await compareAll({
      pages: pagesOf(decisions, { tenantId, from }),
      comparison,
      onChanged(changed) {
        if (asJson) terminal.print(JSON.stringify({ type: "changed", ...changed }))
        else if (named.length < NAMED_MAX) named.push(changed)
      },
      onPage(_counts, page) {
        seen += page.length
        reachedMs = page.at(-1)?.at ?? reachedMs
      },
    })
  } finally {
    hide()
    await decisions.store.close()
  }
  if (asJson) terminal.print(JSON.stringify({ type: "summary", from: dayOf(from), ...counts }))
  else for (const line of reportLines(counts, named)) terminal.print(line)
  terminal.note(rateText(seen, seconds()))
}

/** What the journals have, and then what the store has. */
async function* pagesOf(
  { unfolded, store }: ReadDecisions,
  of: { readonly tenantId: number; readonly from: number },
): AsyncGenerator<readonly Decision[]> {
  const recent = unfolded.filter(({ tenantId, at }) => tenantId === of.tenantId && at >= of.from)
  if (recent.length > 0) yield recent
  // One that was folded since the journals were read is in both.
  const ids = new Set(recent.map(({ id }) => id))
  for await (const page of decisionPages(store, of))
    yield ids.size === 0 ? page : page.filter(({ id }) => !ids.has(id))
}

function reportLines(counts: ComparisonCounts, named: readonly ChangedDecision[]): string[] {
  const { compared, changed, leftOut, moves, lacking } = counts
  const left = Object.entries({
    erased: leftOut.erased,
    "by a model that is not loaded": leftOut.modelNotLoaded,
    "not the same when repeated as they were made": leftOut.notRepeated,
    "written by a newer program": leftOut.unknownFormat,
    "made without this version of the shadow": leftOut.notShadowed,
  }).filter(([, count]) => count > 0)
  const lines = [
    `${number(changed)} of ${number(compared)} actions would have been others.`,
    ...left.map(([why, count]) => `Left out: ${number(count)} ${why}.`),
  ]
  if (lacking.inputs > 0)
    lines.push(
      `${number(lacking.inputs)} inputs were recorded before members that the proposed model reads ` +
        `and lack them, so it takes them as unknown there: ${lacking.members.join(", ")}.`,
    )
  if (moves.length > 0) {
    const rows = moves
      .toSorted((a, b) => orderOf(a) - orderOf(b))
      .map(({ kind, before, after, count }) => [kind, before, after, number(count)])
    lines.push("", ...table(["KIND", "BEFORE", "AFTER", "DECISIONS"], rows))
  }
  if (named.length > 0) {
    const rows = named.map(({ id, kind, before, after }) => [
      id,
      kind,
      `${before.score} ${before.action}`,
      `${after.score} ${after.action}`,
    ])
    lines.push("", ...table(["ID", "KIND", "BEFORE", "AFTER"], rows))
  }
  if (changed > named.length)
    lines.push(`and ${number(changed - named.length)} more, which --json prints`)
  return lines
}

const KINDS = ["email", "phone"]
const ACTIONS = ["allow", "step_up_auth", "review", "block"]

/** E-mail first, and actions from the mildest on. */
function orderOf({ kind, before, after }: ComparisonCounts["moves"][number]): number {
  return KINDS.indexOf(kind) * 100 + ACTIONS.indexOf(before) * 10 + ACTIONS.indexOf(after)
}

function progressText(seen: number, seconds: number, reachedMs: number): string {
  return `${rateText(seen, seconds)} Back to ${dayOf(reachedMs)}.`
}

function rateText(seen: number, seconds: number): string {
  const rate = seconds > 0 ? Math.round(seen / seconds) : 0
  return `${number(seen)} decisions in ${seconds.toFixed(1)} s, ${number(rate)} a second.`
}

function number(value: number): string {
  return value.toLocaleString("en")
}

export function daysOf(text: string): number {
  const days = Number(text)
  if (!/^\d{1,2}$/.test(text) || days < 1 || days > DAYS_MAX)
    throw new CommandError(`--days takes an integer from 1 to ${DAYS_MAX}`)
  return days
}
