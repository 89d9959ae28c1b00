import {
  grouped,
  WATCH_LINES_MAX,
  WatchList,
  WatchListAdded,
  WatchListLineResult,
  WatchListQuery,
  WatchListRemoval,
  WatchListRemoved,
  WatchListRequest,
} from "@assay/core/contract"
import { Type } from "typebox"
import { NDJSON } from "../http/ndjson-body.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"

const common = { tags: ["Watch list"], security: [{ apiKey: [] }] }

const added: Record<number, object> = {
  200: {
    description:
      "Watched from now on, and first scored within about a second. In the media type of the request: lines are answered with one line each.",
    content: {
      "application/json": { schema: named(WatchListAdded) },
      [NDJSON]: { schema: named(WatchListLineResult) },
    },
  },
  ...failures("not-an-email", "not-a-phone-number", "watch-list-full", ...FAILURES_WITHOUT_LOOKUP),
}

export const addSchema = {
  ...common,
  operationId: "addToWatchList",
  summary: "Watch identities",
  description:
    "An identity that is watched is scored again when evidence about it arrives and when time changes its score; a change of its stage or band is an event. Adding one again changes nothing but brings up to date what a score takes from the address.",
  body: {
    content: {
      "application/json": { schema: named(WatchListRequest) },
      [NDJSON]: {
        schema: Type.Unsafe<Buffer>({
          description: `One WatchListLine a line, at most 4 KiB each and ${grouped(WATCH_LINES_MAX)} of them; blank lines are passed over. A line that does not fit gets a problem of its own and spoils no other.`,
        }),
      },
    },
  },
  response: added,
}

export const removeSchema = {
  ...common,
  operationId: "removeFromWatchList",
  summary: "End watching identities",
  description:
    "By the identities themselves or by your names of them. Doing it again changes nothing.",
  body: named(WatchListRemoval),
  response: {
    200: named(WatchListRemoved, "No longer watched."),
    ...failures("not-an-email", "not-a-phone-number", ...FAILURES_WITHOUT_LOOKUP),
  },
}

export const listSchema = {
  ...common,
  operationId: "listWatchList",
  summary: "List what is watched",
  description: "Identities are not kept, so that items are named by their ref.",
  querystring: WatchListQuery,
  response: {
    200: named(WatchList, "A page of items."),
    ...failures(...FAILURES_OF_READING),
  },
}
