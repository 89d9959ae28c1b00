import { Type } from "typebox"
import { BASE_URL_OPTIONS, exactly, FILE } from "../../settings/settings-file.ts"
import { ecsOf } from "../formats/ecs.ts"
import { SinkError, type SinkKind, trusting } from "./destination.ts"
import { openPosts, readAnswer, readSecret } from "./posts.ts"

const ElasticSettings = Type.Object(
  {
    url: Type.String({ ...BASE_URL_OPTIONS, description: "Where Elasticsearch is." }),
    api_key_file: Type.String({
      ...FILE,
      description:
        "File with an API key as Elasticsearch gives it out encoded, which may create documents in the data stream.",
    }),
    data_stream: Type.Optional(
      Type.String({
        takes: "the name of a data stream, such as logs-assay.event-default",
        pattern: "^[a-z0-9][a-z0-9._-]{0,200}$",
        default: "logs-assay.event-default",
        description: "The data stream, or index, that gets the documents.",
      }),
    ),
    ...trusting,
  },
  {
    ...exactly,
    title: "elastic",
    description:
      "Documents of the Elastic Common Schema, by the bulk API of Elasticsearch. Their ids are those of the events, so that one that is sent again is there once.",
  },
)

/** Of the answer only what is looked at: with errors it would be as long as what was sent. */
const ANSWERED = "filter_path=errors,items.create.status"
const CREATED = 201
/** It is there already: an answer was lost. */
const CONFLICT = 409

export const elastic: SinkKind<typeof ElasticSettings> = {
  settings: ElasticSettings,
  open({ url, api_key_file, data_stream = "logs-assay.event-default", ca_file }) {
    const posts = openPosts(ca_file)
    const headers = {
      authorization: `ApiKey ${readSecret(api_key_file, "api_key_file")}`,
      "content-type": "application/x-ndjson",
    }
    return {
      async send(events) {
        const lines = events.flatMap((event) => [{ create: { _id: event.id } }, ecsOf(event)])
        const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
        const answer = readAnswer(
          await posts.post(`${url}${data_stream}/_bulk?${ANSWERED}`, headers, body),
        )
        if (answer["errors"] === false) return
        const statuses = statusesIn(answer["items"])
        if (statuses.length !== events.length) throw new SinkError("answer-not-understood")
        const refused = statuses.find((status) => status !== CREATED && status !== CONFLICT)
        if (refused !== undefined) throw new SinkError(`document-answered-${refused}`)
      },
      close: async () => posts.close(),
    }
  },
}

function statusesIn(items: unknown): readonly number[] {
  if (!Array.isArray(items)) return []
  return items.map((item: { create?: { status?: unknown } } | null) => Number(item?.create?.status))
}
