import type { Client } from "@assay/client"
import { DROP_BATCH_FILES_MAX } from "@assay/core/contract"
import { remembered, type Strange, strangeness } from "@assay/core/drop"
import { DAY_MS } from "@assay/runtime/time"
import { type InboxFolder, openInbox } from "./drop-inbox-folder.ts"
import { shortId } from "./drop-message-lines.ts"
import { markOf, seenIn } from "./drop-opened-inbox.ts"
import { dropDeletion, dropNote, dropReply, readQueue } from "./drop-queue.ts"
import { asked, type ServiceOptions, serviceOf } from "./drop-service.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface SyncOptions extends ServiceOptions {
  readonly into: string
  readonly now?: boolean
}

/**
 * How long the queue is held back after its newest item. A reply sent while its message was being
 * read would show the server which message and which mailbox belong together.
 */
const BATCH_DELAY_MS = 30 * 60_000
/** Replies in one batch, each with a note. */
const PAIRS_MAX = DROP_BATCH_FILES_MAX / 2

/**
 * Sends what waits and fetches what is new. All messages come at once: which of them is read shows
 * nowhere.
 */
export async function syncDrop(options: SyncOptions, terminal: Terminal): Promise<void> {
  const folder = openInbox(options.into)
  const drop = serviceOf(options)
  await sendQueue(folder, drop, options.now === true, terminal)
  await fetchAll(folder, drop, terminal)
}

async function sendQueue(
  folder: InboxFolder,
  drop: Client["drop"],
  atOnce: boolean,
  terminal: Terminal,
): Promise<void> {
  const { replies, notes, deletions, newestMs } = readQueue(folder)
  if (newestMs === null) return
  const waitMs = newestMs + BATCH_DELAY_MS - terminal.now()
  if (waitMs > 0 && !atOnce) {
    const minutes = Math.ceil(waitMs / 60_000)
    terminal.note(
      `${counted(replies.length, "reply", "replies")} and ${counted(deletions.length, "deletion", "deletions")} wait ${counted(minutes, "minute", "minutes")} more, so that their time does not show which message was read; --now sends them`,
    )
    return
  }
  let full = 0
  // Deletions leave with the first replies; more than a batch takes follow at once.
  const most = Math.max(replies.length, notes.length)
  for (let at = 0; at === 0 || at < most; at += PAIRS_MAX) {
    const batch = {
      replies: replies.slice(at, at + PAIRS_MAX),
      notes: notes.slice(at, at + PAIRS_MAX),
      delete: at === 0 ? deletions : [],
    }
    const outcome = await asked(() => drop.batch(batch))
    for (const { id, outcome: became } of outcome.replies) {
      if (became === "full") full += 1
      else dropReply(folder, id)
    }
    for (const { id } of batch.notes) dropNote(folder, id)
  }
  for (const id of deletions) {
    dropDeletion(folder, id)
    folder.remove("messages", id)
  }
  terminal.print(
    `Sent ${counted(replies.length - full, "reply", "replies")} and ${counted(deletions.length, "deletion", "deletions")}.`,
  )
  if (full > 0)
    terminal.note(
      `${counted(full, "reply waits", "replies wait")} here: the sender's mailbox has four that were not deleted yet`,
    )
}

/** Makes the folder what the server has: new files come, and what is gone there goes here too. */
export async function fetchAll(
  folder: InboxFolder,
  drop: Client["drop"],
  terminal: Terminal,
): Promise<void> {
  const before = folder.isNew() ? null : folder.index()
  const sizes = new Map(before?.messages.map(({ id, size }) => [id, size]))
  const have = folder
    .ids("messages")
    .filter((id) => folder.sealed("messages", id).length === sizes.get(id))
  const seen = await seenIn(folder)
  const { gone, fetched, live, strange } = await asked(async () => {
    const { index, files } = await drop.sync(have)
    if (before !== null && before.drop_id !== index.drop_id) throw otherDrop()
    const until = new Map(index.messages.map(({ id, purge_day: day }) => [id, day]))
    const found: { id: string; mark: string; until: number; strange: Strange | null }[] = []
    const expected = new Map(index.messages.map(({ id, size }) => [id, size]))
    let messages = 0
    for await (const { kind, id, sealed } of files) {
      if (kind === "note") {
        folder.put("notes", id, sealed)
        continue
      }
      if (sealed.length !== expected.get(id)) continue
      const mark = await markOf(sealed)
      const odd = mark === null ? null : strangeness(seen, { id, mark })
      if (mark !== null) found.push({ id, mark, until: until.get(id) ?? 0, strange: odd })
      // Keep the first version: as far as anybody can know, that is what the sender wrote.
      if (odd === "changed" && folder.ids("messages").includes(id)) continue
      folder.put("messages", id, sealed)
      messages += 1
    }
    folder.setIndex(index)
    folder.setSeen(remembered(seen, found, Math.floor(terminal.now() / DAY_MS)))
    const removed = folder.ids("messages").filter((id) => !expected.has(id))
    for (const id of removed) folder.remove("messages", id)
    for (const id of folder.ids("notes")) if (!index.notes.includes(id)) folder.remove("notes", id)
    const odd = found.filter((message) => message.strange !== null)
    return { gone: removed.length, fetched: messages, live: index.messages.length, strange: odd }
  })
  for (const message of strange)
    terminal.note(
      message.strange === "changed"
        ? `Warning: the server gives another content for message ${shortId(message.id)} than before. What was fetched first is kept. Tell the other recipients`
        : `Warning: message ${shortId(message.id)} has the content of one that was seen before, under another id. Somebody stored it again`,
    )
  terminal.print(`${counted(fetched, "new message", "new messages")}, ${live} in all.`)
  if (gone > 0)
    terminal.note(
      `${counted(gone, "message is", "messages are")} no longer on the server, deleted, withdrawn or past their time, and no longer here`,
    )
}

function otherDrop(): CommandError {
  return new CommandError(
    "The service has another drop than the one this folder was fetched from; use another folder with --into",
  )
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
