import { latin1 } from "./bytes.ts"
import { type StandardProfile, standardProfile } from "./colour-profile.ts"
import type { AddFinding } from "./findings.ts"
import { mediaTypeOf, UNKNOWN } from "./media-type.ts"
import type { MetadataFinding } from "./metadata-report.ts"

/**
 * A picture without invisible data, as parts that follow each other, and the findings that were
 * left out.
 */
export interface CleanedPicture {
  readonly parts: readonly Uint8Array[]
  readonly findings: readonly MetadataFinding[]
}

/**
 * Reads a picture by the rules of its format; null: it is malformed, and no part of it is known to
 * be safe.
 */
export type PictureCleaner = (bytes: Uint8Array) => CleanedPicture | null

/**
 * Returns the replacement for a picture's own profile, by `standardProfile`. If there is none, the
 * picture gets the finding `colour-profile`, since its colours change without its own profile.
 * Anything else the own profile carries is reported as technical.
 */
export function cleanProfile(own: Uint8Array, add: AddFinding): StandardProfile | null {
  const standard = standardProfile(own)
  if (standard === null) add("colour-profile")
  else if (latin1(standard.bytes) !== latin1(own)) add("technical", "ICC")
  return standard
}

/**
 * Reports bytes after the end of a picture. Cameras put films and further pictures there, and so
 * does a file that is of two kinds at once.
 */
export function addTrailing(bytes: Uint8Array, end: number, add: AddFinding): void {
  const rest = bytes.subarray(end)
  if (rest.length === 0) return
  const media = mediaTypeOf(rest)
  add("hidden-data", `${rest.length} bytes${media === UNKNOWN ? "" : ` ${media.type}`}`)
}
