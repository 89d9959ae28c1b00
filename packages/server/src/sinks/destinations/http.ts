import { Type } from "typebox"
import { exactly, FILE, URL_OPTIONS } from "../../settings/settings-file.ts"
import { type SinkKind, trusting } from "./destination.ts"
import { Format, formatted } from "./formatted.ts"
import { openPosts, readSecret } from "./posts.ts"

const HttpSettings = Type.Object(
  {
    url: Type.String({ ...URL_OPTIONS, description: "What batches are posted to." }),
    format: Format(["ocsf", "ecs", "events"], "ocsf"),
    authorization_file: Type.Optional(
      Type.String({
        ...FILE,
        description:
          "File with the value of the header Authorization, such as `Bearer` and a token.",
      }),
    ),
    ...trusting,
  },
  {
    ...exactly,
    title: "http",
    description:
      "Any receiver that takes a JSON array by POST and answers 2xx once it has all of it.",
  },
)

export const http: SinkKind<typeof HttpSettings> = {
  settings: HttpSettings,
  open({ url, format = "ocsf", authorization_file, ca_file }) {
    const posts = openPosts(ca_file)
    const headers = {
      "content-type": "application/json",
      ...(authorization_file !== undefined && {
        authorization: readSecret(authorization_file, "authorization_file"),
      }),
    }
    return {
      async send(events) {
        const body = `[${events.map((event) => formatted(format, event)).join(",\n")}]`
        await posts.post(url, headers, body)
      },
      close: async () => posts.close(),
    }
  },
}
