import {
  DropBatchActions,
  DropBatchResult,
  DropIndex,
  DropKeys,
  DropKeysRequest,
  DropResealResult,
  DropSyncRequest,
  type ProblemCode,
} from "@assay/core/contract"
import { failures, named } from "../http/schemas.ts"

export const TAR = "application/x-tar"
export const SEALED = "application/octet-stream"
/** The id of a message, in a path. */
export const ID = /^[0-9a-f]{32}$/

const OF_BODIES = ["body-too-large", "unsupported-media-type"] as const
const OF_JSON = ["malformed-json", "invalid-request", ...OF_BODIES] as const

export const syncSchema = operation(OF_JSON, {
  operationId: "syncDrop",
  summary: "Fetch all sealed messages of the drop at once",
  description:
    "All or nothing, so that nobody learns which message is read when. Messages that were fetched do not count as unread any more.",
  body: named(DropSyncRequest),
  answer: {
    description:
      "An archive: `index.json` (described as `DropIndex`), then `ID.age` for each message that was not named, then `note-ID.age` for each note. Each file is sealed to the recipients. An archive without its end must not be used.",
    content: { [TAR]: { schema: named(DropIndex) } },
  },
})

export const batchSchema = operation([...OF_BODIES, "drop-batch-refused", "request-timeout"], {
  operationId: "postDropBatch",
  summary: "Send replies, deletions and notes to the drop together",
  description:
    "An archive: `actions.json` (described as `DropBatchActions`), then the sealed files it names. Replies are sealed to all keys in use and to the sender's, notes to all keys in use, each in the smallest size. Safe to be sent again.",
  body: { content: { [TAR]: { schema: named(DropBatchActions) } } },
  answer: named(DropBatchResult, "All of it is done."),
})

export const keysSchema = operation([], {
  operationId: "listDropKeys",
  summary: "See the keys that messages of the drop are sealed to",
  answer: named(DropKeys, "The keys in use."),
})

export const firstKeysSchema = operation([...OF_JSON, "drop-keys-exist", "drop-keys-refused"], {
  operationId: "setFirstDropKeys",
  summary: "Give the drop its first keys",
  body: named(DropKeysRequest),
  answer: named(DropKeys, "Messages are sealed to these keys from now on."),
})

export const resealSchema = operation(
  ["invalid-request", "not-found", ...OF_BODIES, "drop-batch-refused"],
  {
    operationId: "resealDropMessage",
    summary: "Seal a message of the drop to the keys in use now",
    description:
      "For a change of keys: a recipient opens every message, wraps its content key for the keys in use and sends the new header of the age file here. The body stays as it is stored, so that nobody can put another message in its place. So do the day it goes and the sender's right to withdraw it. Safe to be sent again. Needs `drop:reseal`, which a key has for at most 24 hours.",
    params: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string", pattern: ID.source } },
    },
    body: { content: { [SEALED]: { schema: { type: "string", format: "binary" } } } },
    answer: named(DropResealResult, "It is on the disk, and the header before is gone."),
  },
)

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly params?: object
  readonly body?: object
  readonly answer: object
}

/** What all operations of recipients have, and what this one is refused with beside that. */
function operation(refusals: readonly ProblemCode[], { answer, ...own }: Operation) {
  const response: Record<number, object> = {
    200: answer,
    ...failures(
      ...refusals,
      "unauthenticated",
      "insufficient-scope",
      "internal-error",
      "store-unavailable",
      "drop-off",
      "drop-unavailable",
      "overloaded",
    ),
  }
  return { ...own, tags: ["Drop"], security: [{ apiKey: [] }], response }
}
