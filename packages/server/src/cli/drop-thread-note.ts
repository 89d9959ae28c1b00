import { EnvelopeFault, mergeNotes, type Note, open, unpackNote } from "@assay/core/drop"
import type { InboxFolder } from "./drop-inbox-folder.ts"
import { readQueue } from "./drop-queue.ts"

/** What recipients noted about a thread, and which files say it. */
export interface ThreadNote {
  readonly note: Note
  /** Ids of stored notes that a new one takes the place of. */
  readonly replaces: readonly string[]
  /** Ids of notes that wait in the queue and need not be sent any more. */
  readonly waiting: readonly string[]
}

export async function threadNote(
  folder: InboxFolder,
  about: string,
  identities: readonly string[],
): Promise<ThreadNote> {
  const found: Note[] = []
  const replaces: string[] = []
  const waiting: string[] = []
  const isAbout = async (sealed: Uint8Array): Promise<boolean> => {
    const note = await openedNote(sealed, identities)
    if (note?.about !== about) return false
    found.push(note)
    return true
  }
  for (const id of folder.ids("notes"))
    if (await isAbout(folder.sealed("notes", id))) replaces.push(id)
  for (const note of readQueue(folder).notes) {
    if (!(await isAbout(note.sealed))) continue
    replaces.push(...note.replaces)
    waiting.push(note.id)
  }
  return { note: mergeNotes(about, found), replaces: [...new Set(replaces)], waiting }
}

/** Null for what this identity does not open or what is no note: the others still count. */
async function openedNote(sealed: Uint8Array, identities: readonly string[]): Promise<Note | null> {
  try {
    return unpackNote(await open(sealed, identities))
  } catch (error) {
    if (error instanceof EnvelopeFault) return null
    throw error
  }
}
