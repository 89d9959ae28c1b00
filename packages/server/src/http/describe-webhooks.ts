import { EVENT_KINDS, type EventKind, eventBodySchema, EVENTS } from "@assay/core/contract"

const HEADERS = {
  "webhook-id": "The id of the event. It is the same for every attempt: take it once.",
  "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
  "webhook-signature":
    "Signatures of `{webhook-id}.{webhook-timestamp}.{body}` as Standard Webhooks has them, separated by spaces: one for every secret that is valid.",
} as const

/** What webhooks receive, for the API description: an entry for every kind of event. */
export function describedWebhooks() {
  return Object.fromEntries(EVENT_KINDS.map((kind) => [kind, { post: operationOf(kind) }]))
}

/** The schemas of the events, by the name that the entries refer to them by. */
export function webhookSchemas() {
  return Object.fromEntries(
    EVENT_KINDS.map((kind) => {
      const { $id: name, ...schema } = eventBodySchema(kind) as object as { $id: string }
      return [name, schema]
    }),
  )
}

function operationOf(kind: EventKind) {
  const { $id: name } = eventBodySchema(kind) as object as { $id: string }
  return {
    summary: EVENTS[kind].summary.replace(/\.$/, ""),
    tags: ["Events"],
    // A receiver knows us by the signature, which no scheme of OpenAPI describes.
    security: [],
    parameters: Object.entries(HEADERS).map(([header, description]) => ({
      name: header,
      in: "header",
      required: true,
      schema: { type: "string" as const },
      description,
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
    },
    responses: {
      "2XX": { description: "Taken. Whatever the body says, it is not read." },
      410: { description: "Nobody wants these events any more: the webhook is disabled." },
      default: { description: "Not taken: it is sent again later." },
    },
  }
}
