// Room for new objects, in megabytes. V8 takes up to three times as much, once there is use for it.

/** Little for the drop: what a flood makes it take stays with it, and strangers can send one. */
export const DROP_YOUNG_SPACE = "--max-semi-space-size=4"

/**
 * A worker collects new objects whenever the room is full, and then copies all that requests under
 * way still need. With 4 that was a tenth of the processor time of a score; 16 take 5 to 25 MB more
 * under load, and none after a start.
 */
export const WORKER_YOUNG_SPACE = "--max-semi-space-size=16"
