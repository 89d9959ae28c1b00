import type { AddFinding } from "./findings.ts"
import type { MetadataLabel } from "./metadata-report.ts"

/**
 * Elements and attributes of XMP and of the properties of Office Open XML, OpenDocument and EPUB.
 */
const NAMES: readonly (readonly [string, MetadataLabel])[] = [
  [
    "dc:creator|dc:contributor|cp:lastModifiedBy|meta:initial-creator|meta:printed-by|photoshop:Credit|Manager",
    "author",
  ],
  ["xmp:CreatorTool|pdf:Producer|Application|meta:generator|generator", "software"],
  ["xmp:\\w+Date|photoshop:DateCreated|dcterms:\\w+|meta:\\w+-date|dc:date", "date"],
  ["dc:title|dc:subject|cp:keywords", "title"],
  ["dc:description", "comment"],
  ["Company|dc:publisher", "company"],
  ["exif:GPSL\\w+|photoshop:City|Iptc4xmpCore:Location", "location"],
  ["tiff:Model|tiff:Make|PrinterName", "device"],
  ["aux:SerialNumber|xmpMM:\\w*DocumentID|dc:identifier", "serial"],
  ["meta:user-defined", "properties"],
]
/** Values of one name; more add nothing new. */
const VALUES_MAX = 4

// An attribute's value, or an element's text, which may stand in up to three elements that open
// within it. An element may also be named by an attribute: <meta property="dcterms:modified">,
// <meta name="generator" content="…"/>. Every part is bounded, so that the time is too.
const PATTERNS = NAMES.map(
  ([names, label]) =>
    [
      new RegExp(
        `[<\\s"](?:${names})(?:="([^"<]{1,300})|" content="([^"<]{1,300})|"?(?:\\s[^<>/]{0,200})?>(?:\\s{0,99}<[^<>/][^<>]{0,200}>){0,3}\\s{0,99}([^<]{1,300}))`,
        "g",
      ),
      label,
    ] as const,
)

/**
 * Reports the author, tools and dates in an XML text. The text is searched, not parsed: nothing is
 * rendered.
 */
export function addXmlValues(text: string, add: AddFinding): void {
  for (const [pattern, label] of PATTERNS) {
    let count = 0
    for (const [, attribute, named, content] of text.matchAll(pattern)) {
      const value = (attribute ?? named ?? content ?? "").trim()
      if (value !== "") add(label, value)
      if (++count === VALUES_MAX) break
    }
  }
}
