import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { DropBatch } from "@assay/client"
import { CommandError } from "./terminal.ts"
import { type InboxFolder, writeWhole } from "./drop-inbox-folder.ts"

type QueuedReply = NonNullable<DropBatch["replies"]>[number]
type QueuedNote = NonNullable<DropBatch["notes"]>[number]

/** What waits to be sent. */
export interface Queue {
  readonly replies: readonly QueuedReply[]
  /** What colleagues are to know of the replies. */
  readonly notes: readonly QueuedNote[]
  /** Ids of messages to delete. */
  readonly deletions: readonly string[]
  /** When the newest item was queued, in milliseconds since 1970; null when the queue is empty. */
  readonly newestMs: number | null
}

const REPLY = /^reply-([0-9a-f]{32})\.json$/
const NOTE = /^note-([0-9a-f]{32})\.json$/
const DELETION = /^delete-([0-9a-f]{32})$/

/** The sealed file goes first: an address without one is never sent. */
export function queueReply(folder: InboxFolder, reply: QueuedReply): void {
  const { id, mailbox, deleteVerifier, sealed } = reply
  writeWhole(join(folder.queue, `reply-${id}.age`), sealed)
  writeWhole(join(folder.queue, `reply-${id}.json`), JSON.stringify({ mailbox, deleteVerifier }))
}

export function queueNote(folder: InboxFolder, { id, replaces, sealed }: QueuedNote): void {
  writeWhole(join(folder.queue, `note-${id}.age`), sealed)
  writeWhole(join(folder.queue, `note-${id}.json`), JSON.stringify({ replaces }))
}

export function queueDeletion(folder: InboxFolder, id: string): void {
  writeWhole(join(folder.queue, `delete-${id}`), "")
}

export function readQueue({ queue }: InboxFolder): Queue {
  const names = readdirSync(queue)
  const marks = names.filter((name) => REPLY.test(name) || DELETION.test(name))
  return {
    replies: names.flatMap((name) => {
      const [, id] = REPLY.exec(name) ?? []
      return id === undefined ? [] : [readReply(queue, id)]
    }),
    notes: names.flatMap((name) => {
      const [, id] = NOTE.exec(name) ?? []
      return id === undefined ? [] : [readNote(queue, id)]
    }),
    deletions: names.flatMap((name) => DELETION.exec(name)?.[1] ?? []),
    newestMs:
      marks.length === 0
        ? null
        : Math.max(...marks.map((name) => statSync(join(queue, name)).mtimeMs)),
  }
}

export function dropReply({ queue }: InboxFolder, id: string): void {
  rmSync(join(queue, `reply-${id}.json`), { force: true })
  rmSync(join(queue, `reply-${id}.age`), { force: true })
}

export function dropNote({ queue }: InboxFolder, id: string): void {
  rmSync(join(queue, `note-${id}.json`), { force: true })
  rmSync(join(queue, `note-${id}.age`), { force: true })
}

export function dropDeletion({ queue }: InboxFolder, id: string): void {
  rmSync(join(queue, `delete-${id}`), { force: true })
}

function readReply(queue: string, id: string): QueuedReply {
  const { facts, sealed } = readPair(queue, `reply-${id}`)
  return { ...(facts as Pick<QueuedReply, "mailbox" | "deleteVerifier">), id, sealed }
}

function readNote(queue: string, id: string): QueuedNote {
  const { facts, sealed } = readPair(queue, `note-${id}`)
  return { ...(facts as Pick<QueuedNote, "replaces">), id, sealed }
}

/** A sealed file with what stands beside it. */
function readPair(queue: string, name: string): { facts: unknown; sealed: Uint8Array } {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(queue, `${name}.json`), "utf8"))
    return { facts, sealed: new Uint8Array(readFileSync(join(queue, `${name}.age`))) }
  } catch (error) {
    throw new CommandError("A reply in the queue is damaged; remove its files and write it again", {
      cause: error,
    })
  }
}
