import type { DropIndex } from "@assay/client"
import {
  contentMark,
  EnvelopeFault,
  type EnvelopeFaultCode,
  openMessage,
  remembered,
  type Seen,
  type Strange,
  strangeness,
} from "@assay/core/drop"
import { CommandError } from "./terminal.ts"
import type { InboxFolder } from "./drop-inbox-folder.ts"

type Opened = Awaited<ReturnType<typeof openMessage>>

/** A message that could be opened, with what the server said of it. */
type IndexMessage = DropIndex["messages"][number]

export interface InboxMessage extends IndexMessage {
  readonly opened: Opened
  /** What is strange about it, beside what was seen before. */
  readonly strange: Strange | null
}

/**
 * Every message is in one of the two lists: what cannot be opened is shown as such, never left out.
 */
export interface OpenedInbox {
  readonly messages: readonly InboxMessage[]
  readonly closed: readonly { readonly id: string; readonly why: string }[]
}

export async function openInboxMessages(
  folder: InboxFolder,
  identities: readonly string[],
): Promise<OpenedInbox> {
  const messages: InboxMessage[] = []
  const closed: { id: string; why: string }[] = []
  const seen = await seenIn(folder)
  for (const message of folder.index().messages) {
    const outcome = await tryToOpen(folder.sealed("messages", message.id), identities)
    if (typeof outcome === "string") closed.push({ id: message.id, why: outcome })
    else
      messages.push({
        ...message,
        opened: outcome,
        strange: await strangeOf(folder, seen, message),
      })
  }
  return { messages, closed }
}

export async function openOne(
  folder: InboxFolder,
  id: string,
  identities: readonly string[],
): Promise<InboxMessage> {
  const message = folder.find(id)
  const outcome = await tryToOpen(folder.sealed("messages", message.id), identities)
  if (typeof outcome === "string")
    throw new CommandError(`This message cannot be shown: ${outcome}`)
  const strange = await strangeOf(folder, await seenIn(folder), message)
  return { ...message, opened: outcome, strange }
}

async function strangeOf(
  folder: InboxFolder,
  seen: Seen,
  { id }: IndexMessage,
): Promise<Strange | null> {
  const mark = await markOf(folder.sealed("messages", id))
  return mark === null ? null : strangeness(seen, { id, mark })
}

const WHY: Record<EnvelopeFaultCode, string> = {
  archive: "what is inside is not the archive of a message",
  manifest: "its manifest does not follow the format",
  size: "it is over a limit",
  empty: "it is empty",
  files: "its manifest names other files than there are",
  header: "it is not sealed as this drop seals",
  identity: "this identity file does not open it",
  damaged: "it was changed or cut off after it was sealed",
  recipients: "it names a key that nothing can be sealed to",
}

async function tryToOpen(
  sealed: Uint8Array,
  identities: readonly string[],
): Promise<Opened | string> {
  try {
    return await openMessage(sealed, identities)
  } catch (error) {
    if (error instanceof EnvelopeFault) return WHY[error.code]
    throw error
  }
}

/**
 * What a recipient's folder remembers. A folder from before there was a memory begins with the
 * messages in it.
 */
export async function seenIn(folder: InboxFolder): Promise<Seen> {
  const seen = folder.seen()
  if (seen !== null) return seen
  if (folder.isNew()) return {}
  const found: { id: string; mark: string; until: number }[] = []
  for (const { id, purge_day: until } of folder.index().messages) {
    if (!folder.ids("messages").includes(id)) continue
    const mark = await markOf(folder.sealed("messages", id))
    if (mark !== null) found.push({ id, mark, until })
  }
  return remembered({}, found, 0)
}

/** null for what is no sealed file; opening it reports that. */
export async function markOf(sealed: Uint8Array): Promise<string | null> {
  try {
    return await contentMark(sealed)
  } catch (error) {
    if (error instanceof EnvelopeFault) return null
    throw error
  }
}
