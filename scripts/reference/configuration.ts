import { settings } from "../../packages/server/src/base/config.ts"
import { code, lines, table } from "./page.ts"

export function configurationPage(): string {
  const secrets = settings.filter((setting) => "secret" in setting).map(({ name }) => code(name))
  return lines(
    "# Settings",
    `Every setting is an environment variable, read once at start. All faults are reported together, and a variable that starts with \`ASSAY_\` and is not in this table stops the start, so that a typing mistake is not ignored. \`assay config\` prints the settings in force and where each comes from.`,
    table(
      ["Setting", "Takes", "Default", "Meaning"],
      settings.map(({ name, takes, fallback, meaning }) => [
        code(name),
        takes,
        code(fallback),
        meaning,
      ]),
    ),
    `${secrets.join(", ")} are secrets: \`assay config\` masks them, and each can be given as the name of a file instead, in a variable of the same name with \`_FILE\` behind it.`,
  )
}
