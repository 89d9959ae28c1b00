import type { DropIndex } from "@assay/client"
import {
  EnvelopeFault,
  type EnvelopeFaultCode,
  openMessage,
  type Seen,
  strangeness,
  type Strange,
} from "@assay/core/drop"
import { CommandError } from "./terminal.ts"
import type { InboxFolder } from "./drop-inbox-folder.ts"
import { markOf, seenIn } from "./drop-seen-messages.ts"

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
