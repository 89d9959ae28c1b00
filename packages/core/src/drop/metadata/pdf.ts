import { bytesOf, latin1 } from "./bytes.ts"
import type { AddFinding } from "./findings.ts"
import type { MetadataLabel } from "./metadata-report.ts"
import { addXmlValues } from "./xml-values.ts"

/** Entries of the information dictionary (ISO 32000-2, 14.3.3). */
const ENTRIES: Readonly<Record<string, MetadataLabel>> = {
  Author: "author",
  Company: "company",
  Creator: "software",
  Producer: "software",
  CreationDate: "date",
  ModDate: "date",
  Title: "title",
  Subject: "title",
  Keywords: "title",
}
const ENTRY = new RegExp(
  `/(${Object.keys(ENTRIES).join("|")})\\s{0,9}(?:\\(((?:\\\\[^]|[^\\\\)]){1,500})|<([\\s\\da-fA-F]{1,1000})>)`,
  "g",
)
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }
const ENTRIES_MAX = 20
const PACKET_MAX = 262_144

/**
 * Reports the uncompressed properties of a PDF. Newer programs compress them: then the report says
 * only that there is something, which holds for every PDF.
 */
export function addPdf(bytes: Uint8Array, add: AddFinding): void {
  const text = latin1(bytes)
  // Texts of an encrypted file are encrypted too.
  const readable = !/\/Encrypt\s/.test(text)
  let count = 0
  for (const [, name = "", literal, hexadecimal] of text.matchAll(ENTRY)) {
    const value = literal === undefined ? unhexed(hexadecimal ?? "") : unescaped(literal)
    add(ENTRIES[name] ?? "properties", readable ? decoded(value) : "")
    if (++count === ENTRIES_MAX) break
  }
  const packets = new Set([text.indexOf("<x:xmpmeta"), text.lastIndexOf("<x:xmpmeta")])
  // The content of packed objects, or of a packed or encrypted packet, exists but was not read.
  if (/\/ObjStm\b/.test(text) || (/\/Metadata\b/.test(text) && packets.has(-1))) add("properties")
  // A changed file has the packet of its first version too.
  for (const at of packets)
    if (at >= 0) addXmlValues(new TextDecoder().decode(bytes.subarray(at, at + PACKET_MAX)), add)
  if (/\/EmbeddedFile\b/.test(text)) add("hidden-data", "embedded files")
  if (/\/(?:JavaScript|JS)\b/.test(text)) add("hidden-data", "JavaScript")
  // A file that is of two kinds at once: browsers take it for the one, readers of PDF for the
  // other.
  if (!text.startsWith("%PDF-") || /<(?:html|script)\b/i.test(text)) add("hidden-data", "text/html")
  const end = text.lastIndexOf("%%EOF")
  if (end >= 0 && /\S/.test(text.slice(end + 5)))
    add("hidden-data", `${text.length - end - 5} bytes`)
  // A new version is written after the old one, which stays.
  if (text.indexOf("%%EOF") !== end) add("history")
}

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|[^])/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8) & 0xff) : (ESCAPED[code] ?? code),
  )
}

function unhexed(text: string): string {
  return text
    .replace(/\s/g, "")
    .replace(/..?/g, (pair) => String.fromCharCode(parseInt(pair.padEnd(2, "0"), 16)))
}

function decoded(text: string): string {
  return text.startsWith("\xfe\xff") ? new TextDecoder("utf-16be").decode(bytesOf(text)) : text
}
