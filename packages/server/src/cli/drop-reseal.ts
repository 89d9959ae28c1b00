import { randomBytes } from "node:crypto"
import type { Client } from "@assay/client"
import {
  EnvelopeFault,
  recipientsOf,
  type Recipients,
  reseal,
  type Resealed,
} from "@assay/core/drop"
import { fetchAll } from "./drop-sync.ts"
import { identitiesOf, type IdentityOptions } from "./drop-identity.ts"
import { type InboxFolder, openInbox, type SealedKind } from "./drop-inbox-folder.ts"
import type { Keyboard } from "./passphrase.ts"
import { asked, type ServiceOptions, serviceOf } from "./drop-service.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface ResealOptions extends ServiceOptions, IdentityOptions {
  readonly into: string
}

/**
 * Seals every message and note to the keys in use now, so that a new recipient can open them and an
 * old one can go.
 */
export async function resealMessages(
  options: ResealOptions,
  terminal: Terminal,
  keyboard: Keyboard,
): Promise<void> {
  const folder = openInbox(options.into)
  const drop = serviceOf(options)
  const identities = await identitiesOf(options, keyboard)
  await fetchAll(folder, drop, terminal)
  const recipients = recipientsOf(folder.index().recipients)
  const work = { folder, drop, identities, recipients }
  const messages = await resealEach("messages", work, async (id, { header, sealed }) => {
    // A message deleted meanwhile needs no new keys; the next sync removes it here.
    if ((await asked(() => drop.reseal(id, header))) === "gone") return
    folder.put("messages", id, sealed)
    const index = folder.index()
    folder.setIndex({
      ...index,
      messages: index.messages.map((message) =>
        message.id === id ? { ...message, size: sealed.length } : message,
      ),
    })
  })
  const notes = await resealEach("notes", work, async (id, { sealed }) => {
    const next = randomBytes(16).toString("hex")
    await asked(() => drop.batch({ notes: [{ id: next, replaces: [id], sealed }] }))
    folder.remove("notes", id)
    folder.put("notes", next, sealed)
  })
  const { length } = recipients.keys
  terminal.print(
    `${messages.done} messages and ${notes.done} notes are sealed to ${length} ${length === 1 ? "key" : "keys"} now.`,
  )
  const closed = messages.closed + notes.closed
  if (closed > 0)
    throw new CommandError(
      `${closed} could not be opened with this identity file and are sealed as before; run this with another one before a key is removed`,
    )
}

interface Resealing {
  readonly folder: InboxFolder
  readonly drop: Client["drop"]
  readonly identities: readonly string[]
  readonly recipients: Recipients
}

async function resealEach(
  kind: SealedKind,
  { folder, identities, recipients }: Resealing,
  replace: (id: string, resealed: Resealed) => Promise<void>,
): Promise<{ done: number; closed: number }> {
  const counts = { done: 0, closed: 0 }
  for (const id of folder.ids(kind)) {
    const resealed = await resealedOrNull(folder.sealed(kind, id), identities, recipients)
    if (resealed === null) {
      counts.closed += 1
      continue
    }
    await replace(id, resealed)
    counts.done += 1
  }
  return counts
}

async function resealedOrNull(
  sealed: Uint8Array,
  identities: readonly string[],
  recipients: Recipients,
): Promise<Resealed | null> {
  try {
    return await reseal(sealed, identities, recipients)
  } catch (error) {
    if (error instanceof EnvelopeFault) return null
    throw error
  }
}
