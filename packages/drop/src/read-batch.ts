import { DROP_BATCH_FILES_MAX, DropBatchActions } from "@assay/core/contract"
import {
  mailboxTag,
  readAgeHeader,
  type Recipients,
  sealedSize,
  SMALLEST_CLASS,
} from "@assay/core/drop"
import { readTar } from "@assay/core/drop/tar"
import { Value } from "typebox/value"
import type { NewReply, RandomId, StoredNote } from "./store/drops.ts"
import { RecipientRefusal } from "./recipient-refusal.ts"

/** A batch of which every part may be done. */
export interface Batch {
  readonly replies: readonly NewReply[]
  readonly deletions: readonly RandomId[]
  readonly notes: readonly { readonly note: StoredNote; readonly replaces: readonly RandomId[] }[]
  readonly noteDeletions: readonly RandomId[]
}

const ACTIONS = "actions.json"
const MEMBER = /^(actions\.json|(reply|note)-[0-9a-f]{32}\.age)$/
const MEMBER_MAX = 1024 * 1024

/**
 * Reads a batch as a whole or throws a `RecipientRefusal`: a batch with any fault is not carried
 * out at all.
 */
export function readBatch(archive: Uint8Array, recipients: Recipients | null): Batch {
  const files = membersOf(archive)
  const { replies, notes, ...deletions } = actionsOf(files.get(ACTIONS))
  files.delete(ACTIONS)

  /** Each file is taken once, and must be sealed to every key in use and to `others` more. */
  const taken = (name: string, others: number): Uint8Array => {
    const sealed = files.get(name)
    files.delete(name)
    if (sealed === undefined) throw refused("A file that it names is not in the archive.")
    if (recipients === null || !isSealed(sealed, recipients, others))
      throw refused("A file is not sealed to the keys in use now, in the smallest size.")
    return sealed
  }
  const batch = {
    replies: replies.map(({ id, mailbox, delete_verifier, file }) => ({
      id,
      tag: mailboxTag(Buffer.from(mailbox, "hex")),
      deleteVerifier: Buffer.from(delete_verifier, "hex"),
      // The sender's own key is one more.
      sealed: taken(file, 1),
    })),
    deletions: deletions.delete,
    notes: notes.map(({ id, replaces, file }) => ({
      note: { id, sealed: taken(file, 0) },
      replaces,
    })),
    noteDeletions: deletions.delete_notes,
  }
  if (files.size > 0) throw refused("A file of the archive belongs to no action.")
  return batch
}

function membersOf(archive: Uint8Array): Map<string, Uint8Array> {
  try {
    const members = readTar(archive, {
      allowed: MEMBER,
      membersMax: DROP_BATCH_FILES_MAX + 1,
      bytesMax: MEMBER_MAX,
    })
    return new Map(members.map(({ name, bytes }) => [name, bytes]))
  } catch {
    throw refused("The body is no archive of `actions.json` and sealed files.")
  }
}

function actionsOf(bytes: Uint8Array | undefined): DropBatchActions {
  const wrong = refused("`actions.json` is missing or does not fit its description.")
  let actions: unknown
  try {
    actions = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    throw wrong
  }
  if (!Value.Check(DropBatchActions, actions)) throw wrong
  return actions
}

function isSealed(sealed: Uint8Array, { suite, keys }: Recipients, others: number): boolean {
  const stanzas = keys.length + others
  const header = readAgeHeader(sealed)
  return (
    sealed.length === sealedSize(SMALLEST_CLASS, stanzas, suite) &&
    header !== "incomplete" &&
    !("fault" in header) &&
    header.suite === suite &&
    header.stanzas === stanzas
  )
}

function refused(detail: string): RecipientRefusal {
  return new RecipientRefusal("drop-batch-refused", detail)
}
