import type { PublicDrop } from "../public-drop.ts"
import type { RandomId } from "../store/drops.ts"

/** The drop as one sealer may use it, who makes one upload at most. */
export interface OwnUpload {
  readonly drop: PublicDrop
  /** Forgets the pieces of an upload that will never be finished, since its sealer is gone. */
  abandonUnfinished(): Promise<void>
}

export function ownUpload(drop: PublicDrop): OwnUpload {
  let unfinished: RandomId | null = null
  return {
    drop: {
      ...drop,
      async storePiece(id, index, piece) {
        unfinished ??= id
        if (unfinished !== id) throw new Error("A sealer makes one upload")
        await drop.storePiece(id, index, piece)
      },
      async finish(upload) {
        await drop.finish(upload)
        unfinished = null
      },
    },
    async abandonUnfinished() {
      if (unfinished === null) return
      // Should the store not answer now, it removes leftovers at its next start.
      await drop.abandon(unfinished).catch(() => undefined)
    },
  }
}
