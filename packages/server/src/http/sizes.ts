/** The most a scoring body may have, in bytes. */
export const BODY_MAX = 16 * 1024
/** The most a policy may have, in bytes: a hundred domains fit. */
export const POLICY_BODY_MAX = 64 * 1024
/** The most the body of a batch may have, in bytes. */
export const BATCH_BODY_MAX = 512 * 1024
/** The most the body of a request with evidence may have, in bytes. */
export const EVIDENCE_BODY_MAX = 8 * 1024 * 1024
/** The most a file to import may have, in bytes. It is never held, and the disk is asked first. */
export const IMPORT_BODY_MAX = 2 ** 40
/**
 * The most a line of a stream may have, in bytes without its end; a stream as a whole has no limit.
 */
export const LINE_MAX = 4 * 1024
/** The most all headers of a request may have together, in bytes. */
export const HEADERS_MAX = 8 * 1024
/** The most the list of messages a recipient has may take, in bytes. */
export const DROP_SYNC_BODY_MAX = 4 * 1024 * 1024
