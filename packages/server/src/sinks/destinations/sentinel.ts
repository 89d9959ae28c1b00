import { Type } from "typebox"
import { BASE_URL_OPTIONS, exactly, FILE } from "../../settings/settings-file.ts"
import { sentinelOf } from "../formats/sentinel.ts"
import { SinkError, type SinkKind, trusting } from "./destination.ts"
import { openPosts, readAnswer, readSecret } from "./posts.ts"

const GUID = {
  takes: "a GUID",
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
}

const SentinelSettings = Type.Object(
  {
    endpoint: Type.String({
      ...BASE_URL_OPTIONS,
      description: "Logs ingestion URL of the data collection endpoint or rule.",
    }),
    rule_id: Type.String({
      takes: "dcr- and 32 hexadecimal digits",
      pattern: "^dcr-[0-9a-f]{32}$",
      description: "The immutable id of the data collection rule.",
    }),
    stream: Type.Optional(
      Type.String({
        takes: "the name of a stream, such as Custom-IdentityRisk_CL",
        pattern: "^[A-Za-z0-9_-]{1,100}$",
        default: "Custom-IdentityRisk_CL",
        description: "The stream of the rule.",
      }),
    ),
    directory_id: Type.String({ ...GUID, description: "The directory (tenant) in Entra." }),
    client_id: Type.String({ ...GUID, description: "The application that may send." }),
    client_secret_file: Type.String({ ...FILE, description: "File with its client secret." }),
    authority: Type.Optional(
      Type.String({
        ...BASE_URL_OPTIONS,
        default: "https://login.microsoftonline.com/",
        description: "Where tokens are given out; another one in national clouds.",
      }),
    ),
    scope: Type.Optional(
      Type.String({
        takes: "a scope such as https://monitor.azure.com//.default",
        pattern: "^https://[!-~]{1,200}$",
        default: "https://monitor.azure.com/.default",
        description: "What tokens are asked for; another one in national clouds.",
      }),
    ),
    ...trusting,
  },
  {
    ...exactly,
    title: "sentinel",
    description:
      "Microsoft Sentinel by the Logs Ingestion API. The table and the rule are in `deploy/sentinel`.",
  },
)

const API_VERSION = "2023-01-01"
/** The most that one call takes is a megabyte. */
const CALL_BYTES_MAX = 1_000_000
/** A token that ends sooner is not used any more. */
const SPARE_MS = 60_000

export const sentinel: SinkKind<typeof SentinelSettings> = {
  settings: SentinelSettings,
  open(settings) {
    const { endpoint, rule_id, stream = "Custom-IdentityRisk_CL", directory_id, ca_file } = settings
    const { authority = "https://login.microsoftonline.com/" } = settings
    const { scope = "https://monitor.azure.com/.default" } = settings
    const posts = openPosts(ca_file)
    const granted = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: settings.client_id,
      client_secret: readSecret(settings.client_secret_file, "client_secret_file"),
      scope,
    }).toString()
    let token: { readonly text: string; readonly until: number } | null = null

    async function tokenNow(): Promise<string> {
      if (token !== null && token.until > performance.now()) return token.text
      const url = `${authority}${directory_id}/oauth2/v2.0/token`
      const form = { "content-type": "application/x-www-form-urlencoded" }
      const { access_token, expires_in } = readAnswer(await posts.post(url, form, granted))
      if (typeof access_token !== "string") throw new SinkError("answer-not-understood")
      const lasts = Number(expires_in ?? 0) * 1000
      token = { text: access_token, until: performance.now() + lasts - SPARE_MS }
      return access_token
    }

    return {
      async send(events) {
        const url = `${endpoint}dataCollectionRules/${rule_id}/streams/${stream}?api-version=${API_VERSION}`
        for (const body of bodiesOf(events.map((event) => JSON.stringify(sentinelOf(event))))) {
          const authorization = `Bearer ${await tokenNow()}`
          try {
            await posts.post(url, { authorization, "content-type": "application/json" }, body)
          } catch (error) {
            // The next attempt asks for another.
            if (error instanceof SinkError && error.code === "answered-401") token = null
            throw error
          }
        }
      },
      close: async () => posts.close(),
    }
  },
}

/** JSON arrays that are short enough for one call each. */
function bodiesOf(rows: readonly string[]): string[] {
  const bodies: string[][] = [[]]
  let bytes = 2
  for (const row of rows) {
    const more = Buffer.byteLength(row) + 1
    const isFull = bytes + more > CALL_BYTES_MAX
    if (isFull) bodies.push([])
    bytes = (isFull ? 2 : bytes) + more
    bodies.at(-1)?.push(row)
  }
  return bodies.map((body) => `[${body.join(",")}]`)
}
