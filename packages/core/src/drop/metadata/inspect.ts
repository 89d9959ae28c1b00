import { joined } from "./bytes.ts"
import type { PictureCleaner } from "./cleaned-picture.ts"
import { readExif } from "./exif.ts"
import { addFilm } from "./film.ts"
import { type AddFinding, collectFindings } from "./findings.ts"
import { cleanGif } from "./gif.ts"
import { cleanJpeg } from "./jpeg.ts"
import { type MediaType, mediaTypeOf } from "./media-type.ts"
import type { MetadataFinding, MetadataReport } from "./metadata-report.ts"
import { addOffice } from "./office.ts"
import { addPdf } from "./pdf.ts"
import { cleanPng } from "./png.ts"
import { cleanWebp } from "./webp.ts"

const CLEANERS: Readonly<Record<string, PictureCleaner>> = {
  "image/jpeg": cleanJpeg,
  "image/png": cleanPng,
  "image/webp": cleanWebp,
  "image/gif": cleanGif,
}

const READERS: Readonly<Record<string, (bytes: Uint8Array, add: AddFinding) => void>> = {
  "application/pdf": addPdf,
  "video/mp4": addFilm,
  "video/quicktime": addFilm,
  "audio/mp4": addFilm,
  "image/heic": addFilm,
  "image/avif": addFilm,
  "image/tiff": readExif,
  // Of these only that they have properties is known.
  "application/x-ole-storage": (_, add) => add("properties"),
  "application/rtf": (_, add) => add("properties"),
  "audio/mpeg": (_, add) => add("properties"),
}

/**
 * The metadata that a file carries beside its visible content, found in its bytes alone. Never
 * throws, whatever the bytes are.
 */
export function inspect(bytes: Uint8Array): MetadataReport {
  const media = mediaTypeOf(bytes)
  const cleaner = CLEANERS[media.type]
  if (cleaner !== undefined) {
    const cleaned = cleaner(bytes)
    return cleaned === null
      ? { ...media, treatment: "malformed", findings: [] }
      : { ...media, treatment: "clean", findings: cleaned.findings }
  }
  const { add, list } = collectFindings()
  const known = readDocument(media, bytes, add)
  return known === null
    ? { ...media, treatment: "unknown", findings: [] }
    : { ...known, treatment: "report", findings: list() }
}

/** What the file turned out to be; null: nothing here can look into it. */
function readDocument(media: MediaType, bytes: Uint8Array, add: AddFinding): MediaType | null {
  if (media.type === "application/zip") return addOffice(bytes, add)
  const reader = READERS[media.type]
  reader?.(bytes, add)
  return reader === undefined ? null : media
}

/**
 * The picture without invisible data, and the findings that were removed. A malformed picture, and
 * everything that is no picture, is a fault: only its sender can decide whether to send it
 * unchanged.
 */
export function strip(
  bytes: Uint8Array,
):
  | { readonly bytes: Uint8Array; readonly removed: readonly MetadataFinding[] }
  | { readonly fault: "malformed" | "not-a-picture" } {
  const cleaner = CLEANERS[mediaTypeOf(bytes).type]
  if (cleaner === undefined) return { fault: "not-a-picture" }
  const cleaned = cleaner(bytes)
  if (cleaned === null) return { fault: "malformed" }
  return { bytes: joined(cleaned.parts), removed: cleaned.findings }
}
