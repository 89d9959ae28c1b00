import { latin1 } from "./bytes.ts"
import type { AddFinding } from "./findings.ts"
import type { MediaType } from "./media-type.ts"
import { addXmlValues } from "./xml-values.ts"
import { type ZipMember, zipMembers } from "./zip.ts"

const OPEN_XML = "application/vnd.openxmlformats-officedocument."
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
/** The folder that a kind of document has, and what it then is. */
const FOLDERS: Readonly<Record<string, MediaType>> = {
  word: { type: `${OPEN_XML}wordprocessingml.document`, extension: ".docx" },
  xl: { type: `${OPEN_XML}spreadsheetml.sheet`, extension: ".xlsx" },
  ppt: { type: `${OPEN_XML}presentationml.presentation`, extension: ".pptx" },
}
const MIME_TYPES: Readonly<Record<string, string>> = {
  [`${OPEN_DOCUMENT}text`]: ".odt",
  [`${OPEN_DOCUMENT}spreadsheet`]: ".ods",
  [`${OPEN_DOCUMENT}presentation`]: ".odp",
  "application/epub+zip": ".epub",
}

/** Takes down what a document in an archive says of itself; null: it is an archive of something else. */
export function addOffice(bytes: Uint8Array, add: AddFinding): MediaType | null {
  const members = zipMembers(bytes)
  const media = members === null ? null : documentType(members)
  if (members === null || media === null) return null
  for (const member of members) {
    if (/^(?:docProps\/\w+\.xml|meta\.xml)$/.test(member.name)) {
      const content = member.content()
      if (content === null) add("properties")
      else addXmlValues(new TextDecoder().decode(content), add)
      if (/custom/.test(member.name)) add("properties")
    } else if (/thumbnail/i.test(member.name)) add("thumbnail")
    else if (/\/comments\w*\.xml$/.test(member.name)) add("comment")
    else if (/\/people\.xml$/.test(member.name)) add("author")
    else if (/(?:\/media|^Pictures)\/./.test(member.name)) add("pictures")
    else if (/vbaProject\.bin$/.test(member.name)) add("hidden-data", "macros")
  }
  return media
}

function documentType(members: readonly ZipMember[]): MediaType | null {
  if (members[0]?.name === "mimetype") {
    const type = latin1(members[0].content() ?? new Uint8Array()).trim()
    const extension = Object.hasOwn(MIME_TYPES, type) ? MIME_TYPES[type] : undefined
    return extension === undefined ? null : { type, extension }
  }
  if (!members.some(({ name }) => name === "[Content_Types].xml")) return null
  for (const { name } of members) {
    const folder = name.split("/")[0] ?? ""
    const media = Object.hasOwn(FOLDERS, folder) ? FOLDERS[folder] : undefined
    if (media !== undefined) return media
  }
  return null
}
