// Apart from what reads a batch, so that whoever passes one on does not load it.

/** The most a batch of replies, deletions and notes may have, in bytes. */
export const BATCH_BODY_MAX = 8 * 1024 * 1024
