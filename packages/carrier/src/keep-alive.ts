/**
 * How long an idle connection stays open. With Node's five seconds, a client that was busy
 * meanwhile sends its next request on a connection that is just being closed.
 */
export const KEEP_ALIVE_MS = 72_000
