/** The most a scoring body may have, in bytes. */
export const BODY_MAX = 16 * 1024
/** The most all headers of a request may have together, in bytes. */
export const HEADERS_MAX = 8 * 1024
