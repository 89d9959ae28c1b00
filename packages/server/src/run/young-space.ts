/**
 * Little room for new objects, in megabytes. What a request needs is gone with its answer. While a
 * worker loads its program nearly all objects stay, for which V8 would make the room larger and
 * larger, up to three times 16; and as much would stay with the drop after a flood, which strangers
 * can send. Half as much made batches dearer.
 */
export const YOUNG_SPACE = "--max-semi-space-size=4"
