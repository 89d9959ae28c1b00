import { randomBytes, randomInt } from "node:crypto"

const FILLER_MAX = 64 * 1024

/**
 * What a form carries so that the size of what is sent without JavaScript says less: 0 to 64 KiB,
 * of no meaning.
 */
export function newFiller(): string {
  const length = randomInt(FILLER_MAX + 1)
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length)
}
