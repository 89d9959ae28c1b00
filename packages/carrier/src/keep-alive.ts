/**
 * How long a connection that nobody uses stays open. With Node's five seconds a client that was
 * busy meanwhile sends its next request on one that is just being closed.
 */
export const KEEP_ALIVE_MS = 72_000
