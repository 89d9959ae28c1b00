import type { PlainKind } from "./plain-kind.ts"
import type { LaneSize } from "./sealer-lane.ts"

/** The most that one sealer was seen to take, with three files of 10 MiB: 231 MB (bench/results/drop.md), and a little. */
const MESSAGE_MB = 240
/** With a form that carries a code and an answer that shows replies. */
const CODE_MB = 120
const CODE_MOST = 4

/** How many sealers there are, by what they may take together; never fewer than stand ready at rest. */
export function laneSizes({
  sealers,
  sealerMemoryMb,
}: {
  readonly sealers: number
  readonly sealerMemoryMb: number
}): Readonly<Record<PlainKind, LaneSize>> {
  const forMessages = Math.floor((sealerMemoryMb - CODE_MOST * CODE_MB) / MESSAGE_MB)
  return {
    message: { atRest: sealers, most: Math.max(sealers, forMessages) },
    code: { atRest: 1, most: CODE_MOST },
  }
}
