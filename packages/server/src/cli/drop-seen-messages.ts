import { contentMark, EnvelopeFault, remembered, type Seen } from "@assay/core/drop"
import type { InboxFolder } from "./drop-inbox-folder.ts"

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
