import { Type } from "typebox"
import { exactly } from "../../settings/settings-file.ts"
import type { SinkKind } from "./destination.ts"
import { Format, formatted } from "./formatted.ts"

const StdoutSettings = Type.Object(
  { format: Format(["events", "ocsf", "ecs", "cef"], "events") },
  {
    ...exactly,
    title: "stdout",
    description:
      "Standard output of the service, one line an event, for containers whose output is collected. The service's own log is on standard error.",
  },
)

export const stdout: SinkKind<typeof StdoutSettings> = {
  settings: StdoutSettings,
  open: ({ format = "events" }, { print }) => ({
    async send(events) {
      await print(events.map((event) => `${formatted(format, event)}\n`).join(""))
    },
    close: async () => undefined,
  }),
}
