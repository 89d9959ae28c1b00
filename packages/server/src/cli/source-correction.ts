import { DATA_CLASSES, type DataClass } from "@assay/stores/entry"
import type { Source, SourceChange, SourceFlags } from "@assay/stores/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import { FLAG_WORDS } from "./source-lines.ts"
import { CommandError } from "./terminal.ts"

export interface CorrectionOptions {
  readonly confidence?: string
  readonly eventDate?: string
  readonly publishedDate?: string
  readonly acquiredDate?: string
  readonly classes?: string
  readonly flags?: string
  readonly as?: string
}

/** No evidence is older, and none is dated more than a day ahead. */
const EARLIEST = "1990-01-01"
const NONE = "none"

/** What the options say of a source, or a CommandError that names the one that says nothing. */
export function readCorrection(
  options: CorrectionOptions,
  source: Source,
  nowMs: number,
): SourceChange {
  const { confidence, eventDate, publishedDate, acquiredDate, classes, flags, as } = options
  const change: SourceChange = {
    ...(confidence === undefined ? {} : { confidence: readConfidence(confidence) }),
    ...(eventDate === undefined ? {} : { eventDate: readDay("--event-date", eventDate, nowMs) }),
    ...(publishedDate === undefined
      ? {}
      : { publishedDate: readDay("--published-date", publishedDate, nowMs) }),
    ...(acquiredDate === undefined
      ? {}
      : { acquiredDate: readDay("--acquired-date", acquiredDate, nowMs) }),
    ...(classes === undefined ? {} : { classes: readClasses(classes) }),
    ...(flags === undefined ? {} : { flags: readFlags(flags) }),
    ...(as === undefined ? {} : readDecision(as, source)),
  }
  if (Object.keys(change).length === 0) throw new CommandError("Nothing is named to change")
  return change
}

function readConfidence(text: string): number {
  const confidence = /^[01](\.\d+)?$/.test(text) ? Number(text) : 0
  if (confidence <= 0 || confidence > 1)
    throw new CommandError("--confidence takes a number above 0, at most 1")
  return confidence
}

function readDay(option: string, text: string, nowMs: number): string | null {
  if (text === NONE) return null
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN
  // A day that no calendar has, such as 31 February, comes back as another.
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
  if (!isDay || text < EARLIEST || ms > nowMs + DAY_MS)
    throw new CommandError(`${option} takes a day from ${EARLIEST} to tomorrow, or ${NONE}`)
  return text
}

function readClasses(text: string): DataClass[] {
  const words = wordsOf(text)
  if (words.some((word) => !(DATA_CLASSES as readonly string[]).includes(word)))
    throw new CommandError(
      `--classes takes some of ${DATA_CLASSES.join(", ")}, separated by commas, or ${NONE}`,
    )
  return DATA_CLASSES.filter((name) => words.includes(name))
}

function readFlags(text: string): SourceFlags {
  const words = wordsOf(text)
  if (words.some((word) => !FLAG_WORDS.has(word)))
    throw new CommandError(
      `--flags takes some of ${[...FLAG_WORDS.keys()].join(", ")}, separated by commas, or ${NONE}`,
    )
  const has = (word: string): boolean => words.includes(word)
  return {
    spamList: has("spam-list"),
    fabricated: has("fabricated"),
    sensitive: has("sensitive"),
    verified: has("verified"),
    stealerLog: has("stealer-log"),
  }
}

/**
 * What an operator decides stays until it is given back to measuring; the figures are measured all
 * the same.
 */
function readDecision(text: string, { circulation = null }: Source): SourceChange {
  if (text === "measured") return { circulates: false, circulation: null }
  if (text !== "origin" && text !== "circulation")
    throw new CommandError("--as takes origin, circulation or measured")
  const figures = circulation ?? { identities: 0, knownIdentities: 0, pairs: 0, knownPairs: 0 }
  return {
    circulates: text === "circulation",
    circulation: { ...figures, decidedBy: "operator" },
  }
}

function wordsOf(text: string): string[] {
  return text === NONE ? [] : text.split(",").map((word) => word.trim())
}
