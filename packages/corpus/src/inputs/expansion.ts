import { InputError } from "./input-error.ts"

/**
 * How many times larger than it was packed anything may become. Text packs to a tenth, not to a
 * two-hundredth.
 */
export const EXPANSION_MAX = 200
/** So much may come out of anything, however small: a short file of equal lines packs very well. */
const FLOOR_BYTES = 1 << 20

/** Throws where more came out of packed bytes than files that people hold ever give. */
export function requireExpansion(name: string, packedBytes: number, bytes: number): void {
  if (bytes > Math.max(FLOOR_BYTES, packedBytes * EXPANSION_MAX)) {
    throw new InputError(`${name} unpacks to more than ${EXPANSION_MAX} times its size`)
  }
}
