import { inspect, strip } from "./inspect.ts"
import type { MediaType } from "./media-type.ts"

/** A file and what became of what it said beside what it shows. */
export interface FileToSend extends MediaType {
  readonly bytes: Uint8Array
  readonly metadata: "stripped" | "kept" | "unknown"
}

/**
 * A recipient's file as it goes into a reply: pictures are cleaned, as is done for senders, unless
 * the recipient wants them kept. Null: a picture that cannot be cleaned.
 */
export function fileToSend(bytes: Uint8Array, keepMetadata: boolean): FileToSend | null {
  const { type, extension, treatment } = inspect(bytes)
  if (keepMetadata) return { bytes, type, extension, metadata: "kept" }
  if (treatment === "malformed") return null
  if (treatment !== "clean") return { bytes, type, extension, metadata: "unknown" }
  const cleaned = strip(bytes)
  if ("fault" in cleaned) return null
  return { bytes: cleaned.bytes, type, extension, metadata: "stripped" }
}
