import { DATA_CLASSES, type DataClass, type EvidenceKind } from "../stores/entry.ts"
import type { Source, SourceDescription } from "../stores/exposure-index.ts"
import type { Format } from "./formats/format.ts"

/** The kinds of evidence a file can bring for all of its rows: the model's exposures and signals. */
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
] as const satisfies readonly EvidenceKind[]

/** What a person says of the source of an import. What they leave out stays as it is, or takes its default. */
export interface SourceRequest {
  readonly name: string
  readonly title?: string
  readonly kind?: EvidenceKind
  /** The UTC day of the event. */
  readonly date?: string
  readonly confidence?: number
  readonly classes?: readonly DataClass[]
  /** What a breach catalogue says of it: in place of what is known, where the person says nothing themselves. */
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
 * A source as it will be described: by the request, else by the catalogue it names, else as it is known, else by what its
 * files look like.
 */
export function describeSource(
  request: SourceRequest,
  known: Source | undefined,
  formats: readonly Format[],
): SourceDescription {
  const said = request.described ?? known
  return {
    name: request.name,
    title: request.title ?? said?.title ?? request.name,
    kind: request.kind ?? said?.kind ?? kindOfFormats(formats),
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

/** Lines with the site a password is for come from stealers, tables from a breach, bare pairs from a combolist. */
function kindOfFormats(formats: readonly Format[]): EvidenceKind {
  const names = new Set(formats.map(({ name }) => name))
  if (names.has("stealer-blocks") || names.has("url-login-password")) return "stealer"
  return names.has("combolist") ? "combolist" : "breach"
}
