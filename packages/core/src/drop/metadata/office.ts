import { latin1, uint } from "./bytes.ts"
import type { AddFinding } from "./findings.ts"
import { inflate } from "./inflate.ts"
import type { MediaType } from "./media-type.ts"
import { addXmlValues } from "./xml-values.ts"

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

interface ZipMember {
  readonly name: string
  /**
   * The first bytes of its content; null where they are encrypted, of another method or not well
   * formed.
   */
  readonly content: (max?: number) => Uint8Array | null
}

/** Of one member: texts about a document are shorter. */
const CONTENT_MAX = 65_536
const MEMBERS_MAX = 4096
const END_BYTES = 22

/**
 * The members by the directory at the end of an archive (APPNOTE 4.3.16). Null if there is none, or
 * if it names more members than can be read here: an unread member must not pass for an examined
 * one.
 */
function zipMembers(bytes: Uint8Array): ZipMember[] | null {
  const start = Math.max(0, bytes.length - END_BYTES - 65_535)
  const end = start + latin1(bytes, start).lastIndexOf("PK\x05\x06")
  if (end < start) return null
  const members: ZipMember[] = []
  let at = uint(bytes, end + 16, 4, true)
  for (let n = 0; n < MEMBERS_MAX && latin1(bytes, at, at + 4) === "PK\x01\x02"; n++) {
    const number = (place: number, size: number): number => uint(bytes, at + place, size, true)
    const [encrypted, method, size] = [number(8, 2) & 1, number(10, 2), number(20, 4)]
    const nameLength = number(28, 2)
    const local = number(42, 4)
    members.push({
      name: latin1(bytes, at + 46, Math.min(at + 46 + nameLength, bytes.length)),
      content(max = CONTENT_MAX) {
        const from =
          local + 30 + uint(bytes, local + 26, 2, true) + uint(bytes, local + 28, 2, true)
        const packed = bytes.subarray(from, from + size)
        if (encrypted || !(from + size <= bytes.length)) return null
        if (method === 8) return inflate(packed, max)
        return method === 0 ? packed.subarray(0, max) : null
      },
    })
    at += 46 + nameLength + number(30, 2) + number(32, 2)
  }
  return members.length === uint(bytes, end + 10, 2, true) ? members : null
}
