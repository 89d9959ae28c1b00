import { listOf, SINK_KINDS, SinkSettings } from "../../packages/server/src/sinks/kinds.ts"
import { type Members, membersTable } from "./members.ts"
import { code, lines, table } from "./page.ts"

interface KindSettings extends Members {
  readonly description: string
}

export function sinksPage(): string {
  return lines(
    "# Settings of sinks",
    "`ASSAY_SINKS` names a JSON file with the security tools that get every event. It is read once at start; what cannot be used stops the start and is named by its place, without its value. A member that is not here is refused. Paths of files are taken from the folder of the settings. Secrets are files of their own. [Operating](../operating.md#sinks) says what each promises.",
    table(
      ["Member", "Takes"],
      Object.keys(SinkSettings.properties).map((name) => [
        code(name),
        `a list of sinks of this kind`,
      ]),
    ),
    ...Object.entries(SINK_KINDS).flatMap(([name, kind]) => {
      const { description } = kind.settings as unknown as KindSettings
      const { items } = listOf(kind)
      return [`## ${name}`, description, membersTable(items)]
    }),
  )
}
