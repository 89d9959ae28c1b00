import {
  isEnough,
  KNOWN_IDENTITIES_MIN,
  KNOWN_PAIRS_MIN,
  SAMPLE_MIN,
} from "@assay/corpus/circulation"
import type { HeldSource } from "@assay/corpus/sources"
import type { Batch, Source, SourceFlags } from "@assay/stores/exposure-index"
import { arrivesOneByOne } from "@assay/stores/arriving-batches"
import { dayOf } from "@assay/runtime/time"
import { table } from "./table.ts"

/** By the name a person writes: the flags of a source. */
export const FLAG_WORDS: ReadonlyMap<string, keyof SourceFlags> = new Map([
  ["spam-list", "spamList"],
  ["fabricated", "fabricated"],
  ["sensitive", "sensitive"],
  ["verified", "verified"],
  ["stealer-log", "stealerLog"],
])

/** One line a source. */
export function sourceTable(held: readonly HeldSource[]): string[] {
  const rows = held.map(({ source, rows: count, identities, batches }) => [
    source.name,
    source.kind,
    source.eventDate ?? "",
    dayOf(source.importedAt),
    counted(count),
    counted(identities),
    String(source.confidence),
    source.circulates ? "yes" : "no",
    flagWords(source.flags),
    batches.some(({ state }) => state === "loading") ? "loading" : "live",
    source.title,
  ])
  return table(
    [
      ...["SOURCE", "KIND", "EVENT", "IMPORTED", "ROWS", "IDENTITIES", "CONFIDENCE", "CIRCULATES"],
      ...["FLAGS", "STATE", "TITLE"],
    ],
    rows,
  )
}

/** All that is known of a source, its batches last. */
export function sourceLines(
  { source, rows, identities }: HeldSource,
  batches: readonly Batch[],
): string[] {
  const facts = table(
    ["FACT", "VALUE"],
    [
      ...sourceFacts(source),
      ["first imported", dayOf(source.importedAt)],
      ["rows", counted(rows)],
      ["identities", counted(identities)],
      ...circulationFigures(source),
    ],
  )
  return [
    `Source ${source.name}, number ${source.id}`,
    "",
    ...facts,
    "",
    ...table(
      [
        ...["BATCH", "STATE", "ROWS", "IDENTITIES", "LIVE SINCE", "IMPORTED BY"],
        ...["SEGMENT", "BYTES", "SHA-256"],
      ],
      batches.map(batchRow),
    ),
  ]
}

function counted(count: number | null): string {
  return count === null ? "not counted" : String(count)
}

/** What may be corrected of a source, as a person reads it. */
export function sourceFacts(source: Source): [name: string, value: string][] {
  return [
    ["title", source.title],
    ["kind", source.kind],
    ["confidence", String(source.confidence)],
    ["data classes", source.classes.length === 0 ? "none" : source.classes.join(" ")],
    ["flags", flagWords(source.flags) || "none"],
    ["event date", source.eventDate ?? "not known"],
    ["published date", source.publishedDate ?? "not known"],
    ["acquired date", source.acquiredDate ?? "not known"],
    ["circulation", circulationWords(source)],
  ]
}

function circulationWords({ circulates, circulation = null }: Source): string {
  const word = circulates ? "circulates older sources" : "origin"
  if (circulation === null) return `${word}, not measured`
  if (circulation.decidedBy === "operator") return `${word}, decided by an operator`
  if (circulation.sameAs !== undefined)
    return `${word}, the same data as source number ${circulation.sameAs}`
  if (isEnough(circulation)) return `${word}, measured`
  return `${word}, because a sample below ${SAMPLE_MIN} identities and ${SAMPLE_MIN} pairs decides nothing`
}

function circulationFigures({ circulation = null }: Source): [name: string, value: string][] {
  if (circulation === null) return []
  const { identities, knownIdentities, pairs, knownPairs } = circulation
  return [
    ["known identities", share(knownIdentities, identities, KNOWN_IDENTITIES_MIN)],
    ["known pairs", share(knownPairs, pairs, KNOWN_PAIRS_MIN)],
  ]
}

function share(known: number, all: number, needed: number): string {
  const percent = all === 0 ? "" : `, ${((100 * known) / all).toFixed(1)} %`
  return `${known} of ${all} in the sample${percent}; circulation from ${needed} % on`
}

function flagWords(flags: SourceFlags): string {
  return [...FLAG_WORDS]
    .filter(([, flag]) => flags[flag] === true)
    .map(([word]) => word)
    .join(" ")
}

function batchRow(batch: Batch): string[] {
  const { id, state, rows, identities, liveAt, importedBy, segment } = batch
  const isCounted = !arrivesOneByOne(batch)
  return [
    String(id),
    state,
    counted(isCounted ? rows : null),
    counted(isCounted ? identities : null),
    liveAt === null ? "" : dayOf(liveAt),
    importedBy ?? "",
    segment?.file ?? "",
    segment == null ? "" : String(segment.bytes),
    segment?.sha256 ?? "",
  ]
}
