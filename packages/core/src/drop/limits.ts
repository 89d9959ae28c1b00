/** What a message may hold. The pages print these numbers. */
export const MESSAGE_MAX = 50_000
export const FILES_MAX = 3
/** Printed as "10 MB". */
export const FILE_MAX = 10_485_760

/**
 * How many replies wait for a sender at a time; an answer always shows as many, so that a full
 * mailbox looks like an empty one.
 */
export const MAILBOX_SLOTS = 4

/** How many messages of one visit can be withdrawn. */
export const WITHDRAWABLE = 16

/**
 * How often a sender may double the work on purpose; recipients see it and can sort by it. The
 * number is stored unsealed beside the message, so there are few steps: the fewer there are, the
 * less a step reveals of the sender who chose it.
 */
export const EFFORT_MAX = 3

/** An effort in words for recipients. */
export function effortText(effort: number): string {
  return effort === 0 ? "no extra work" : `worked ${2 ** effort} times as long`
}
