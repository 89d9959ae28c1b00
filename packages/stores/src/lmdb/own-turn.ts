import { awaitTurn } from "@assay/runtime/data-directory"

/** A turn takes a millisecond. Whoever waits longer waits for a process that was stopped in its. */
const TURN_MS = 5_000

/** The turns that this thread has, by folder: what it does meanwhile is part of them. */
const turns = new Map<string, { uses: number; release: () => void }>()

/**
 * Waits until no other process opens or closes LMDB's files in a folder; the result ends the turn.
 *
 * LMDB's last user of a file destroys the mutexes in its lock file. Whoever opens the file at that
 * moment waits for the lock, gets it, and takes the mutexes for good; from then on nobody can begin
 * a transaction until all have closed the file (ITS#10095, which lmdb 3.5.6 lacks).
 */
export function ownTurn(folder: string): () => void {
  const turn = turns.get(folder) ?? {
    uses: 0,
    // Where there is none, because the folder is gone or is not to be written into, LMDB says so or
    // does without its lock file too.
    release: awaitTurn(folder, TURN_MS)?.release ?? (() => {}),
  }
  turn.uses++
  turns.set(folder, turn)
  return () => {
    if (--turn.uses > 0) return
    turns.delete(folder)
    turn.release()
  }
}
