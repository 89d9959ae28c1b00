/**
 * How often a sender may double the work on purpose; recipients see it and can sort by it. It
 * stands beside the message unsealed, so there are few steps: the fewer there are, the less a step
 * says of whoever chose it.
 */
export const EFFORT_MAX = 3

/** An effort in words for recipients. */
export function effortText(effort: number): string {
  return effort === 0 ? "no extra work" : `worked ${2 ** effort} times as long`
}
