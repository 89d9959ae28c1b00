import type { PlainKind } from "./plain-kind.ts"
import type { LaneSize } from "./sealer-lane.ts"

/**
 * The most that one sealer was seen to take, with three files of 10 MiB: 231 MB
 * (bench/results/drop.md), and a little.
 */
const UPLOAD_MB = 240
/** With a short message, or a code and an answer that shows replies: 78 MB was seen. */
const SHORT_MB = 90
const MESSAGE_MOST = 8
const CODE_MOST = 4

/**
 * How many sealers there are, by the memory they may take together; never fewer than stand ready at
 * rest.
 */
export function laneSizes({
  sealers,
  sealerMemoryMb,
}: {
  readonly sealers: number
  readonly sealerMemoryMb: number
}): Readonly<Record<PlainKind, LaneSize>> {
  const short = (MESSAGE_MOST + CODE_MOST) * SHORT_MB
  const uploads = Math.floor((sealerMemoryMb - short) / UPLOAD_MB)
  return {
    message: { atRest: sealers, most: Math.max(sealers, MESSAGE_MOST) },
    upload: { atRest: 1, most: Math.max(1, uploads) },
    code: { atRest: 1, most: CODE_MOST },
  }
}
