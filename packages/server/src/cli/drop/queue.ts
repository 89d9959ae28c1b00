import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { DropBatch } from "@assay/client"
import { CommandError } from "../terminal.ts"
import { type InboxFolder, writeWhole } from "./inbox-folder.ts"

type QueuedReply = NonNullable<DropBatch["replies"]>[number]

/** What waits to be sent. */
export interface Queue {
  readonly replies: readonly QueuedReply[]
  /** Ids of messages to delete. */
  readonly deletions: readonly string[]
  /** When the last of it was put here, in milliseconds since 1970; null where nothing waits. */
  readonly newestMs: number | null
}

const REPLY = /^reply-([0-9a-f]{32})\.json$/
const DELETION = /^delete-([0-9a-f]{32})$/

/** The sealed file goes first: an address without one is never sent. */
export function queueReply(folder: InboxFolder, reply: QueuedReply): void {
  const { id, mailbox, deleteVerifier, sealed } = reply
  writeWhole(join(folder.queue, `reply-${id}.age`), sealed)
  writeWhole(join(folder.queue, `reply-${id}.json`), JSON.stringify({ mailbox, deleteVerifier }))
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

export function dropDeletion({ queue }: InboxFolder, id: string): void {
  rmSync(join(queue, `delete-${id}`), { force: true })
}

function readReply(queue: string, id: string): QueuedReply {
  try {
    const address = JSON.parse(readFileSync(join(queue, `reply-${id}.json`), "utf8")) as Pick<
      QueuedReply,
      "mailbox" | "deleteVerifier"
    >
    const sealed = new Uint8Array(readFileSync(join(queue, `reply-${id}.age`)))
    return { ...address, id, sealed }
  } catch (error) {
    throw new CommandError("A reply in the queue is damaged; remove its files and write it again", {
      cause: error,
    })
  }
}
