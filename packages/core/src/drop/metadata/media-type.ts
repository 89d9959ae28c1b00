import { latin1 } from "./bytes.ts"

export interface MediaType {
  readonly type: string
  /** With its dot, or empty. */
  readonly extension: string
}

export const UNKNOWN: MediaType = { type: "application/octet-stream", extension: "" }

/** The first bytes of a file, as a pattern, and the type that follows. The first match counts. */
const BEGINNINGS: readonly (readonly [RegExp, string, string])[] = [
  [/^\xff\xd8\xff/, "image/jpeg", ".jpg"],
  [/^\x89PNG\r\n\x1a\n/, "image/png", ".png"],
  [/^RIFF[^]{4}WEBP/, "image/webp", ".webp"],
  [/^GIF8[79]a/, "image/gif", ".gif"],
  // Readers look for the mark of a PDF in the first kilobyte: bytes before it are reported.
  [/^[^]{0,1023}%PDF-/, "application/pdf", ".pdf"],
  [/^PK(?:\x03\x04|\x05\x06)/, "application/zip", ".zip"],
  [/^[^]{4}ftyp(?:hei[cfsx]|hev[cx]|mif1|msf1)/, "image/heic", ".heic"],
  [/^[^]{4}ftypavi[fs]/, "image/avif", ".avif"],
  [/^[^]{4}ftypM4A /, "audio/mp4", ".m4a"],
  [/^[^]{4}(?:ftypqt {2}|moov|mdat|wide|free|skip)/, "video/quicktime", ".mov"],
  [/^[^]{4}ftyp/, "video/mp4", ".mp4"],
  [/^(?:II\*\0|MM\0\*)/, "image/tiff", ".tif"],
  [/^BM[^]{4}\0{4}/, "image/bmp", ".bmp"],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, "application/x-ole-storage", ".doc"],
  [/^\{\\rtf/, "application/rtf", ".rtf"],
  [/^(?:ID3|\xff[\xf2\xf3\xfb])/, "audio/mpeg", ".mp3"],
  [/^RIFF[^]{4}WAVE/, "audio/wav", ".wav"],
  [/^RIFF[^]{4}AVI /, "video/x-msvideo", ".avi"],
  [/^OggS/, "audio/ogg", ".ogg"],
  [/^fLaC/, "audio/flac", ".flac"],
  [/^\x1aE\xdf\xa3/, "video/webm", ".webm"],
  [/^7z\xbc\xaf\x27\x1c/, "application/x-7z-compressed", ".7z"],
  [/^Rar!\x1a\x07/, "application/vnd.rar", ".rar"],
  [/^\x1f\x8b/, "application/gzip", ".gz"],
  [/^[^]{257}ustar/, "application/x-tar", ".tar"],
  [/^age-encryption\.org\/v1\n/, "application/age", ".age"],
]

/**
 * What a file is by its first bytes. Web pages, drawings that hold scripts and all other text are
 * plain text here: a person who opens one by its name then sees its letters.
 */
export function mediaTypeOf(bytes: Uint8Array): MediaType {
  const head = latin1(bytes, 0, Math.min(bytes.length, 1028))
  const found = BEGINNINGS.find(([beginning]) => beginning.test(head))
  if (found !== undefined) return { type: found[1], extension: found[2] }
  return isText(bytes) ? { type: "text/plain", extension: ".txt" } : UNKNOWN
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
