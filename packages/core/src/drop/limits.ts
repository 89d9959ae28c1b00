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
