import { settings } from "../../packages/server/src/base/config.ts"
import {
  type Kept,
  keptElsewhere,
  keptInRecords,
} from "../../packages/server/src/base/retention.ts"
import { code, lines, table } from "./page.ts"

export function retentionPage(): string {
  const header = ["What", "About whom", "Kept for", "Setting", "Takes"]
  return lines(
    "# Retention",
    "What the service keeps and for how long. Days that a setting gives are those of its default; `assay config` prints what is set. What is past its time is deleted by the service itself, without a command.",
    "## In the records",
    table(
      ["Table", ...header],
      Object.entries(keptInRecords).map(([name, kept]) => [code(name), ...row(kept)]),
    ),
    "## Elsewhere",
    table(header, keptElsewhere.map(row)),
    "[Compliance](../compliance.md) says what a person may ask for, and with which command.",
  )
}

function row({ what, person, long }: Kept): string[] {
  if (typeof long === "object") return [what, person, long.text, "", ""]
  const { fallback, takes } = settings.find(({ name }) => name === long) ?? settings[0]
  return [what, person, `${fallback} days`, code(long), takes]
}
