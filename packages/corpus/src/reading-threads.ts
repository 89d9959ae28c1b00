import type { Examined } from "./engine/examine.ts"

/** More threads than this would wait for the sorter. */
const THREADS_MAX = 8
/**
 * A thread compiles for itself what parses and keys, which takes as long as some megabytes of
 * records. On two cores 12 MB took less time with one than with two, and a quarter less of the
 * processor; 51 MB took as long.
 */
const BYTES_A_THREAD = 16e6

const PACKED = /\.(?:gz|zst|zip)(?:\/|$)/i
/** Packed input is taken for so many times its size. */
export const PACKED_FACTOR = 4

/** Whether something of an input is packed, by the names of its files. */
export function isPacked(names: readonly string[]): boolean {
  return names.some((name) => PACKED.test(name))
}

/** How many threads parse an input. Of a stream it is not known whether it is packed. */
export function readingThreads(
  { members, totalBytes }: Pick<Examined, "members" | "totalBytes">,
  { cores, isStream }: { readonly cores: number; readonly isStream: boolean },
): number {
  const packed = isStream || isPacked(members.map(({ name }) => name))
  const bytes = packed ? totalBytes * PACKED_FACTOR : totalBytes
  return Math.max(1, Math.min(THREADS_MAX, cores, Math.ceil(bytes / BYTES_A_THREAD)))
}
