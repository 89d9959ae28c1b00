import { type ManifestFile, shownText } from "@assay/core/drop"
import type { MetadataFinding, MetadataLabel } from "@assay/core/drop/metadata"

const words: Readonly<Record<MetadataLabel, string>> = {
  location: "place",
  date: "date",
  device: "device",
  serial: "serial number",
  author: "author",
  company: "organisation",
  title: "title",
  software: "program",
  comment: "comment",
  thumbnail: "small copy of the picture",
  history: "history of changes",
  "colour-profile": "colour profile",
  technical: "technical data",
  properties: "properties of the document",
  pictures: "pictures inside",
  "hidden-data": "data that does not show",
}

/** A label of a later version, for which this one has no word, is shown unchanged. */
function wordOf(label: string): string {
  return Object.hasOwn(words, label) ? words[label as MetadataLabel] : label
}

const done = {
  stripped: "All of it was removed.",
  kept: "The sender chose to send the file untouched.",
  unknown: "It could not be removed.",
} as const

/**
 * The findings before the file was sent, as its sealer listed them, and what was done about them.
 */
export function foundLine({ metadata, found }: Pick<ManifestFile, "metadata" | "found">): string {
  if (found === undefined)
    return metadata === "stripped"
      ? "Hidden data: removed before sending."
      : `Hidden data: not looked into before sending.${metadata === "kept" ? ` ${done.kept}` : ""}`
  if (found.length === 0)
    return `Hidden data: none was found before sending.${metadata === "kept" ? ` ${done.kept}` : ""}`
  const colours =
    metadata === "stripped" && found.includes("colour-profile")
      ? " Colours can look different."
      : ""
  const list = found.map(wordOf).join(", ")
  return `Hidden data found before sending: ${list}. ${done[metadata]}${colours}`
}

/** What the file carries now, found here in its own bytes. */
export function carriesLine(carries: readonly MetadataFinding[]): string {
  const said = carries.map(({ label, value }) =>
    value === null ? wordOf(label) : `${wordOf(label)} “${shownText(value)}”`,
  )
  return `The file carries: ${said.join("; ")}.`
}
