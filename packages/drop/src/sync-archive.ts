import type { DropIndex } from "@assay/core/contract"
import { tarFrame, tarTrailer } from "@assay/core/drop/tar"
import type { Drops, RandomId } from "./store/drops.ts"

interface SyncOptions {
  readonly drops: Pick<Drops, "messages" | "piece" | "notes" | "note">
  readonly dropId: Uint8Array
  readonly recipients: readonly string[]
  /** Messages that are left out. */
  readonly have: ReadonlySet<RandomId>
  /** Called with each message that was handed over whole. */
  readonly onSent: (id: RandomId) => void
}

/**
 * An archive of all that waits, piece by piece: at most one piece is in memory, however slow the
 * reader. A message deleted before its turn is left out; one deleted in the middle of its turn ends
 * the archive with an error, because half a message must not look like one.
 */
export async function* syncArchive(options: SyncOptions): AsyncGenerator<Uint8Array, void, void> {
  const { drops, dropId, recipients, have, onSent } = options
  const [messages, notes] = await Promise.all([drops.messages(), drops.notes()])
  const index: DropIndex = {
    drop_id: Buffer.from(dropId).toString("hex"),
    recipients: [...recipients],
    messages: messages.map(({ id, size, purgeDay, effort }) => ({
      id,
      size,
      purge_day: purgeDay,
      effort,
    })),
    notes,
  }
  yield* member("index.json", Buffer.from(JSON.stringify(index)))
  for (const { id, size } of messages) {
    if (have.has(id)) continue
    const first = await drops.piece(id, 0)
    if (first === null) continue
    const { header, padding } = tarFrame(`${id}.age`, size)
    yield header
    let sent = 0
    for (let n = 0; sent < size; n++) {
      const piece = n === 0 ? first : await drops.piece(id, n)
      if (piece === null) throw new Error("A message was deleted while it was fetched")
      yield piece
      sent += piece.length
    }
    // A header of another length moves all that follows it: pieces of two files must not pass for
    // one.
    const isSame = sent <= first.length || sameBytes(await drops.piece(id, 0), first)
    if (sent !== size || !isSame) throw new Error("A message was sealed anew while it was fetched")
    yield padding
    onSent(id)
  }
  for (const id of notes) {
    const sealed = await drops.note(id)
    if (sealed !== null) yield* member(`note-${id}.age`, sealed)
  }
  yield tarTrailer()
}

function sameBytes(found: Uint8Array | null, expected: Uint8Array): boolean {
  return found !== null && Buffer.compare(found, expected) === 0
}

function* member(name: string, bytes: Uint8Array): Generator<Uint8Array, void, void> {
  const { header, padding } = tarFrame(name, bytes.length)
  yield header
  yield bytes
  yield padding
}
