/** What a finding is about. Pages have a word for each of these. */
export const METADATA_LABELS = [
  "location",
  "date",
  "device",
  "serial",
  "author",
  "company",
  "title",
  "software",
  "comment",
  "thumbnail",
  "history",
  "colour-profile",
  "technical",
  "properties",
  "pictures",
  "hidden-data",
] as const
export type MetadataLabel = (typeof METADATA_LABELS)[number]

/**
 * One finding in a file beside its picture or text. `label` is a stable word; `value` is as found,
 * shortened, or null where only its presence matters.
 */
export interface MetadataFinding {
  readonly label: MetadataLabel
  readonly value: string | null
}

/**
 * The part of a report that goes into a manifest: the kinds found, and none of their values.
 * Returns no member if nobody could look, which differs from finding nothing.
 */
export function foundIn({ treatment, findings }: MetadataReport): { found?: MetadataLabel[] } {
  const looked = treatment === "clean" || treatment === "report"
  return looked ? { found: [...new Set(findings.map(({ label }) => label))] } : {}
}

/** Whether a picture with these findings looks different once they are taken out. */
export function losesColours(findings: readonly MetadataFinding[]): boolean {
  return findings.some(({ label }) => label === "colour-profile")
}

/** What a file carries, and whether it can be taken out here. */
export interface MetadataReport {
  /** The media type by the file's own bytes, never by its name. */
  readonly type: string
  /** With its dot, from a fixed list, or empty. */
  readonly extension: string
  /**
   * `clean`: can be cleaned; `report`: can only be shown; `malformed`: looks like a picture, but
   * cannot be read; `unknown`: nothing is known about it.
   */
  readonly treatment: "clean" | "report" | "malformed" | "unknown"
  readonly findings: readonly MetadataFinding[]
}
