import { bytesOf, joined, latin1, uint } from "./bytes.ts"
import { addTrailing, cleanProfile, type PictureCleaner } from "./cleaned-picture.ts"
import { readExif } from "./exif.ts"
import { type AddFinding, collectFindings } from "./findings.ts"
import { addXmlValues } from "./xml-values.ts"

/** The file begins with RIFF, its length and WEBP (RFC 9649, 2.4). */
const HEAD_BYTES = 12
/** A frame of an animation begins with its place and time; its own chunks follow. */
const FRAME_HEAD_BYTES = 16
/**
 * The flags of the extended format for animation and transparency. The others announce metadata.
 */
const SHOWN_FLAGS = 0b0001_0010
/** The flag that announces a colour profile. */
const PROFILE_FLAG = 0b0010_0000

/** Keeps the chunks that make the picture, within the frames of moving ones too. */
export const cleanWebp: PictureCleaner = (bytes) => {
  const { add, list } = collectFindings()
  const end = 8 + uint(bytes, 4, 4, true)
  if (!(end <= bytes.length)) return null
  const chunks = keptChunks(bytes.subarray(HEAD_BYTES, end), true, add)
  if (chunks === null || !chunks.some((chunk) => /^(?:VP8[ L]|ANMF)/.test(latin1(chunk, 0, 4))))
    return null
  addTrailing(bytes, end, add)
  const content = joined(chunks)
  return {
    parts: [bytesOf("RIFF"), little32(content.length + 4), bytesOf("WEBP"), content],
    findings: list(),
  }
}

function keptChunks(bytes: Uint8Array, outer: boolean, add: AddFinding): Uint8Array[] | null {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const name = latin1(bytes, at, at + 4)
    const length = uint(bytes, at + 4, 4, true)
    // An odd chunk is followed by one byte that does not count.
    const end = at + 8 + length + (length % 2)
    if (!(end <= bytes.length)) return null
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (name === "VP8X") {
      if (length !== 10 || !outer) return null
      const plain = content.slice()
      plain.set([(plain[0] ?? 0) & SHOWN_FLAGS, 0, 0, 0])
      chunks.push(chunkOf(name, plain))
    } else if (name === "ANMF" && outer) {
      const inner = keptChunks(content.subarray(FRAME_HEAD_BYTES), false, add)
      if (inner === null || length < FRAME_HEAD_BYTES) return null
      chunks.push(chunkOf(name, joined([content.subarray(0, FRAME_HEAD_BYTES), ...inner])))
    } else if (/^(?:VP8[ L]|ALPH)$/.test(name) || (name === "ANIM" && length === 6))
      chunks.push(chunkOf(name, content))
    else if (name === "ICCP" && outer && chunks.length === 1) {
      // The profile directly follows the flags of the extended format, one of which announces it.
      const profile = cleanProfile(content, add)?.bytes ?? new Uint8Array()
      const [head] = chunks
      if (profile.length > 0 && head !== undefined) {
        head[8] = (head[8] ?? 0) | PROFILE_FLAG
        chunks.push(chunkOf(name, profile))
      }
    } else addChunk(name, content, add)
    at = end
  }
  return chunks
}

function chunkOf(name: string, content: Uint8Array): Uint8Array {
  const padding = new Uint8Array(content.length % 2)
  return joined([bytesOf(name), little32(content.length), content, padding])
}

function little32(value: number): Uint8Array {
  return Uint8Array.from([0, 8, 16, 24], (shift) => value >>> shift)
}

function addChunk(name: string, content: Uint8Array, add: AddFinding): void {
  if (name === "EXIF") {
    // Some programs write the mark that Exif has in a JPEG here too.
    const marked = latin1(content, 0, 4) === "Exif"
    readExif(marked ? content.subarray(6) : content, add)
  } else if (name === "XMP ") {
    add("history", "XMP")
    addXmlValues(new TextDecoder().decode(content), add)
  } else if (name === "ICCP") add("colour-profile")
  else add("technical", name)
}
