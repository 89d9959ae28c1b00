import { Type, type Static } from "typebox"
import { words } from "./words.ts"

/** How many messages a recipient may list as already fetched; the drop never holds more. */
export const DROP_HAVE_MAX = 100_000
/** How many sealed files a batch may carry. */
export const DROP_BATCH_FILES_MAX = 100
/** How many ids a batch may name for deletion. */
const DELETIONS_MAX = 10_000

const id = (description: string) => Type.String({ pattern: "^[0-9a-f]{32}$", description })
const key32 = (description: string) => Type.String({ pattern: "^[0-9a-f]{64}$", description })
const file = Type.String({
  pattern: "^(reply|note)-[0-9a-f]{32}\\.age$",
  description: "The member of the archive that holds the sealed file.",
})

export const DropSyncRequest = Type.Object(
  {
    have: Type.Array(id("The id of a message."), {
      maxItems: DROP_HAVE_MAX,
      description: "Messages that are not wanted again. They count as fetched from now on.",
      examples: [[]],
    }),
  },
  { $id: "DropSyncRequest" },
)
export type DropSyncRequest = Static<typeof DropSyncRequest>

export const DropIndex = Type.Object(
  {
    drop_id: id("The id of the drop; codes of one drop mean nothing on another."),
    recipients: Type.Array(Type.String(), {
      description: "The public age keys that messages are sealed to now.",
    }),
    messages: Type.Array(
      Type.Object(
        {
          id: id("16 random bytes: it says nothing of when the message came."),
          size: Type.Integer({ description: "Bytes of the sealed file." }),
          purge_day: Type.Integer({ description: "Day since 1970 on which it goes." }),
          effort: Type.Integer({
            description: "How many times its sender doubled the proof of work on purpose.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Every message there is, in the order of their ids." },
    ),
    notes: Type.Array(id("The id of a note.")),
  },
  {
    $id: "DropIndex",
    additionalProperties: false,
    description: "The first member of the archive, `index.json`.",
  },
)
export type DropIndex = Static<typeof DropIndex>

export const DropBatchActions = Type.Object(
  {
    replies: Type.Array(
      Type.Object({
        id: id("Chosen at random by whoever replies: one that is sent again changes nothing."),
        mailbox: key32("As the message names it."),
        delete_verifier: key32("As the message names it."),
        file,
      }),
    ),
    delete: Type.Array(id("The id of a message to delete."), { maxItems: DELETIONS_MAX }),
    notes: Type.Array(
      Type.Object({
        id: id("Chosen at random: one that is sent again changes nothing."),
        replaces: Type.Array(id("The id of a note that goes when this one is there."), {
          maxItems: DELETIONS_MAX,
        }),
        file,
      }),
    ),
    delete_notes: Type.Array(id("The id of a note to delete."), { maxItems: DELETIONS_MAX }),
  },
  {
    $id: "DropBatchActions",
    description: "The first member of the archive, `actions.json`; sealed files follow it.",
  },
)
export type DropBatchActions = Static<typeof DropBatchActions>

export const DropBatchResult = Type.Object(
  {
    replies: Type.Array(
      Type.Object(
        {
          id: id("As it was sent."),
          outcome: words(
            ["stored", "known", "full"],
            "`known`: it was sent before. `full`: four replies wait in that mailbox and are kept until they are read; send it again later.",
          ),
        },
        { additionalProperties: false },
      ),
      { description: "In the order they were sent." },
    ),
  },
  { $id: "DropBatchResult", additionalProperties: false },
)
export type DropBatchResult = Static<typeof DropBatchResult>

export const DropResealResult = Type.Object(
  {
    outcome: words(
      ["resealed", "gone"],
      "`gone`: the message was deleted or withdrawn meanwhile, or its time was over; nothing was stored.",
    ),
  },
  { $id: "DropResealResult", additionalProperties: false },
)
export type DropResealResult = Static<typeof DropResealResult>

export const DropKeys = Type.Object(
  {
    drop_id: id("The id of the drop."),
    recipients: Type.Array(Type.String(), {
      description: "The public age keys that messages are sealed to; none: no message is taken.",
    }),
  },
  { $id: "DropKeys", additionalProperties: false },
)
export type DropKeys = Static<typeof DropKeys>

export const DropKeysRequest = Type.Object(
  {
    recipients: Type.Array(Type.String({ maxLength: 4096 }), {
      minItems: 1,
      maxItems: 16,
      description: "Public age keys of one kind.",
      examples: [["age1um3ltkp2l6x5hccg5fuwhjj96vg2xhg9g9n27c50d9s32ugxqdjsycrqla"]],
    }),
  },
  { $id: "DropKeysRequest" },
)
export type DropKeysRequest = Static<typeof DropKeysRequest>
