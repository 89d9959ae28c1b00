import { DATA_CLASSES, type DataClass, type EntryKind } from "@assay/stores/entry"
import type { Batch, Source, SourceDescription } from "@assay/stores/exposure-index"

/**
 * The kinds of evidence a file can bring for all of its rows: the model's exposures and signals.
 */
export const IMPORT_KINDS = [
  "breach",
  "paste",
  "combolist",
  "stealer",
  "phish",
  "repost",
  "listing",
  "sale",
  "mention",
  "ready",
  "tested",
  "attack",
  "monetized",
] as const satisfies readonly EntryKind[]

/**
 * The person's description of the source of an import. A member left out keeps its value, or takes
 * its default.
 */
export interface SourceRequest {
  readonly name: string
  readonly title?: string
  readonly kind?: EntryKind
  /** The UTC day of the event. */
  readonly date?: string
  readonly confidence?: number
  readonly classes?: readonly DataClass[]
  /**
   * The description from a breach catalogue. It replaces known values for members the person leaves
   * out.
   */
  readonly described?: SourceDescription
}

export function isSourceName(name: string): boolean {
  return /^[a-z0-9._-]{1,64}$/.test(name)
}

export function isDataClass(word: string): word is DataClass {
  return (DATA_CLASSES as readonly string[]).includes(word)
}

/** The model's confidence of a source of which nothing else is known. */
const CONFIDENCE = 0.8
const NO_FLAGS = { spamList: false, fabricated: false, sensitive: false, verified: false }

/**
 * The kind for every file of an import: from the person or the catalogue they name, else from an
 * earlier import of the source. Null: each file decides by its look.
 */
export function saidKind(
  request: SourceRequest,
  known: Source | undefined,
  batches: Iterable<Batch>,
): EntryKind | null {
  const now = request.kind ?? request.described?.kind
  if (now !== undefined) return now
  const before = [...batches]
    .filter(({ sourceId, state }) => sourceId === known?.id && state === "live")
    .map(({ recipe }) => recipe?.said.kind ?? null)
  return before.findLast((kind) => kind !== null) ?? null
}

/**
 * The description of a source: from the request, else from the catalogue it names, else from what
 * is known, else from the look of its files.
 */
export function describeSource(
  request: SourceRequest,
  known: Source | undefined,
  kindOfFiles: EntryKind,
): SourceDescription {
  const said = request.described ?? known
  return {
    name: request.name,
    title: request.title ?? said?.title ?? request.name,
    kind: request.kind ?? said?.kind ?? kindOfFiles,
    confidence: request.confidence ?? said?.confidence ?? CONFIDENCE,
    classes: request.classes ?? said?.classes ?? [],
    flags: said?.flags ?? NO_FLAGS,
    eventDate: request.date ?? said?.eventDate ?? null,
    acquiredDate: known?.acquiredDate ?? null,
    publishedDate: said?.publishedDate ?? null,
    circulates: known?.circulates ?? false,
    circulation: known?.circulation ?? null,
  }
}
