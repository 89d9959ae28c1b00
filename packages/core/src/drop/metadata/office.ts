import { latin1 } from "./bytes.ts"
import type { AddFinding } from "./findings.ts"
import type { MediaType } from "./media-type.ts"
import { addXmlValues } from "./xml-values.ts"
import { type ZipMember, zipMembers } from "./zip.ts"

const OPEN_XML = "application/vnd.openxmlformats-officedocument."
/** The folder that identifies a kind of document, and its media type. */
const FOLDERS: Readonly<Record<string, MediaType>> = {
  word: { type: `${OPEN_XML}wordprocessingml.document`, extension: ".docx" },
  xl: { type: `${OPEN_XML}spreadsheetml.sheet`, extension: ".xlsx" },
  ppt: { type: `${OPEN_XML}presentationml.presentation`, extension: ".pptx" },
}
const EPUB: MediaType = { type: "application/epub+zip", extension: ".epub" }
/**
 * An OpenDocument names its kind, whose first letter is the last of its extension, and whether it
 * is a template.
 */
const OPEN_DOCUMENT = /application\/vnd\.oasis\.opendocument\.([bcfgipst])[a-z]+(-template)?/
/** Files that name the maker of a document, in Office Open XML, OpenDocument and EPUB. */
const PROPERTIES = /^(?:docProps\/\w+|meta|settings)\.xml$|\.opf$/
/** The text itself can be long, and its comments stand anywhere in it. */
const TEXT_MAX = 1_048_576

/** Reports the properties of a document in an archive; null: the archive is something else. */
export function addOffice(bytes: Uint8Array, add: AddFinding): MediaType | null {
  const members = zipMembers(bytes)
  const media = members === null ? null : documentType(members)
  if (members === null || media === null) return null
  for (const { name, content } of members) {
    if (PROPERTIES.test(name)) {
      const text = xmlOf(content())
      // Encrypted, cut, or packed in a way that cannot be unpacked here: its content is not known.
      if (text === null || /custom/.test(name)) add("properties")
      if (text !== null) addXmlValues(text, add)
    } else if (name === "content.xml") {
      const text = xmlOf(content(TEXT_MAX))
      if (text === null) add("properties")
      else if (/<office:annotation[\s>]/.test(text)) add("comment")
      if (/<text:changed-region|<table:tracked-changes/.test(text ?? "")) add("history")
    } else if (/thumbnail/i.test(name)) add("thumbnail")
    else if (/\/comments\w*\.xml$/.test(name)) add("comment")
    else if (/\/people\.xml$/.test(name)) add("author")
    else if (/(?:\/media|^Pictures)\/.|\.jpe?g$/.test(name)) add("pictures")
    else if (/vbaProject\.bin$|^Basic\/./.test(name)) add("hidden-data", "macros")
    else if (/\/embeddings\/./.test(name)) add("hidden-data", "embedded files")
  }
  return media
}

/** Null where it is no XML in UTF-8. */
function xmlOf(content: Uint8Array | null): string | null {
  const text = new TextDecoder().decode(content ?? new Uint8Array())
  return /^\s*</.test(text) ? text : null
}

function documentType(members: readonly ZipMember[]): MediaType | null {
  const named = (wanted: string): ZipMember | undefined =>
    members.find(({ name }) => name === wanted)
  const textOf = (name: string): string => latin1(named(name)?.content() ?? new Uint8Array())
  // The first member holds the type; programs that repack a document put it anywhere or leave it
  // out.
  const said = textOf("mimetype") || textOf("META-INF/manifest.xml")
  const [type, letter, template] = OPEN_DOCUMENT.exec(said) ?? []
  if (type !== undefined && letter !== undefined)
    return { type, extension: `.o${template === undefined ? "d" : "t"}${letter}` }
  if (said.startsWith(EPUB.type) || named("META-INF/container.xml") !== undefined) return EPUB
  // An older relative, or a document that does not name its kind.
  if (named("meta.xml") !== undefined && named("content.xml") !== undefined)
    return { type: "application/zip", extension: ".zip" }
  if (named("[Content_Types].xml") === undefined) return null
  for (const { name } of members) {
    const folder = name.split("/")[0] ?? ""
    const media = Object.hasOwn(FOLDERS, folder) ? FOLDERS[folder] : undefined
    if (media !== undefined) return media
  }
  return null
}
