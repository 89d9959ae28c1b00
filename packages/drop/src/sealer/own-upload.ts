import type { DropDesk } from "../drop-desk.ts"
import type { RandomId } from "../store/drops.ts"

/** The desk as one sealer may use it, who makes one upload at most. */
export interface OwnUpload {
  readonly desk: DropDesk
  /** Forgets the pieces of an upload that will never be finished, since its sealer is gone. */
  abandonUnfinished(): Promise<void>
}

export function ownUpload(desk: DropDesk): OwnUpload {
  let unfinished: RandomId | null = null
  return {
    desk: {
      ...desk,
      async storePiece(id, index, piece) {
        unfinished ??= id
        if (unfinished !== id) throw new Error("A sealer makes one upload")
        await desk.storePiece(id, index, piece)
      },
      async finish(upload) {
        await desk.finish(upload)
        unfinished = null
      },
    },
    async abandonUnfinished() {
      if (unfinished === null) return
      // Should the store not answer now, it removes leftovers at its next start.
      await desk.abandon(unfinished).catch(() => undefined)
    },
  }
}
