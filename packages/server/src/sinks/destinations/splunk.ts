import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { Type } from "typebox"
import { BASE_URL_OPTIONS, exactly, FILE, TEXT } from "../../settings/settings-file.ts"
import { splunkOf } from "../formats/splunk.ts"
import { SinkError, type SinkKind, trusting } from "./destination.ts"
import { openPosts, readAnswer, readSecret } from "./posts.ts"

const SplunkSettings = Type.Object(
  {
    url: Type.String({
      ...BASE_URL_OPTIONS,
      description: "Where the collector is, such as https://splunk.example.com:8088.",
    }),
    token_file: Type.String({ ...FILE, description: "File with the token of the collector." }),
    index: Type.Optional(
      Type.String({ ...TEXT, description: "The index. Without it: the one of the token." }),
    ),
    acknowledged: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Waits until the indexers have events, where the token has acknowledgement switched on. Without it the collector's word counts, which may lose what it holds in memory.",
      }),
    ),
    ...trusting,
  },
  {
    ...exactly,
    title: "splunk",
    description: "Splunk's HTTP Event Collector, with the source type `assay:event`.",
  },
)

const ACKNOWLEDGED_WITHIN_MS = 120_000
const ASK_EVERY_MS = 1_000

export const splunk: SinkKind<typeof SplunkSettings> = {
  settings: SplunkSettings,
  open({ url, token_file, index, acknowledged = false, ca_file }, { host }) {
    const posts = openPosts(ca_file)
    const channel = randomUUID()
    const headers = {
      authorization: `Splunk ${readSecret(token_file, "token_file")}`,
      "content-type": "application/json",
      ...(acknowledged && { "x-splunk-request-channel": channel }),
    }
    const ended = new AbortController()

    async function untilAcknowledged(id: number): Promise<void> {
      const deadline = performance.now() + ACKNOWLEDGED_WITHIN_MS
      while (performance.now() < deadline) {
        const asked = `${url}services/collector/ack?channel=${channel}`
        const { acks } = readAnswer(
          await posts.post(asked, headers, JSON.stringify({ acks: [id] })),
        )
        if ((acks as Readonly<Record<string, unknown>> | undefined)?.[id] === true) return
        await delay(ASK_EVERY_MS, undefined, { signal: ended.signal })
      }
      throw new SinkError("not-acknowledged")
    }

    return {
      async send(events) {
        // Objects one after the other, which is how the collector takes several.
        const body = events
          .map((event) =>
            JSON.stringify({ ...splunkOf(event, host), ...(index !== undefined && { index }) }),
          )
          .join("\n")
        const answer = readAnswer(await posts.post(`${url}services/collector/event`, headers, body))
        if (answer["code"] !== 0) throw new SinkError("answer-not-understood")
        if (!acknowledged) return
        const { ackId } = answer
        // The token has acknowledgement switched off.
        if (typeof ackId !== "number") throw new SinkError("no-acknowledgement")
        await untilAcknowledged(ackId)
      },
      async close() {
        ended.abort()
        posts.close()
      },
    }
  },
}
