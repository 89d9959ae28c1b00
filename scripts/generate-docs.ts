// npm run docs: writes docs/reference from the code it describes. With --check it writes nothing
// and fails when a page is not what the code would print today.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { emailModels, modelSchemas, phoneModels } from "@assay/core/score"
import { formatted } from "./formatted.ts"
import { apiPage } from "./reference/api.ts"
import { capacityPage } from "./reference/capacity.ts"
import { commandLinePage } from "./reference/command-line.ts"
import { configurationPage } from "./reference/configuration.ts"
import { dropFilesPage } from "./reference/drop-files.ts"
import { dropTestsPage } from "./reference/drop-tests.ts"
import { eventsPage, eventsSchema } from "./reference/events.ts"
import { formatsPage } from "./reference/formats.ts"
import { limitsPage } from "./reference/limits.ts"
import { emailModelPage } from "./reference/model-email.ts"
import { phoneModelPage } from "./reference/model-phone.ts"
import { problemsPage } from "./reference/problems.ts"
import { providersPage } from "./reference/providers.ts"
import { retentionPage } from "./reference/retention.ts"
import { sinksPage } from "./reference/sinks.ts"
import { rightsPage } from "./reference/rights.ts"
import { root } from "./repository.ts"

const folder = join(root, "docs", "reference")

const [flag, ...others] = process.argv.slice(2)
if (others.length > 0 || (flag !== undefined && flag !== "--check")) {
  console.error("Usage: node --conditions=source scripts/generate-docs.ts [--check]")
  process.exit(2)
}
const pages = await currentPages()
if (flag === "--check") check(pages)
else write(pages)

/** Every page by its file name, formatted as the repository formats Markdown. */
async function currentPages(): Promise<ReadonlyMap<string, string>> {
  // Runs alone: beside all the commands that the next page runs, the service does not start in time
  // on a busy machine.
  const api = await apiPage()
  const [commandLine, dropFiles] = [commandLinePage(), await dropFilesPage()]
  const texts = {
    "api.md": api,
    "capacity.md": capacityPage(),
    "command-line.md": commandLine,
    "configuration.md": configurationPage(),
    "drop-files.md": dropFiles,
    "events.md": eventsPage(),
    "formats.md": formatsPage(),
    "limits.md": limitsPage(),
    ...Object.fromEntries(
      Object.values(emailModels).map((model) => [
        `model-email-${model.version}.md`,
        emailModelPage(model),
      ]),
    ),
    ...Object.fromEntries(
      Object.values(phoneModels).map((model) => [
        `model-phone-${model.version}.md`,
        phoneModelPage(model),
      ]),
    ),
    "problems.md": problemsPage(),
    "providers.md": providersPage(),
    "retention.md": retentionPage(),
    "rights.md": rightsPage(),
    "sinks.md": sinksPage(),
    // Beside the page on operating the drop, which it belongs to.
    "../drop-tests.md": dropTestsPage(),
  }
  const pages = new Map<string, string>()
  for (const [name, text] of Object.entries(texts)) {
    const page = `<!-- Printed by \`npm run docs\` from the code; edit that, not this. -->\n\n${text}`
    pages.set(name, await formatted(page, name))
  }
  const schemas = { ...prefixed("model-", modelSchemas), events: eventsSchema() }
  for (const [name, schema] of Object.entries(schemas)) {
    const file = `${name}.schema.json`
    pages.set(file, await formatted(JSON.stringify(schema), file))
  }
  return pages
}

function prefixed<T>(prefix: string, of: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(of).map(([name, one]) => [`${prefix}${name}`, one]))
}

function write(wanted: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const name of strays(wanted)) rmSync(join(folder, name))
  for (const [name, text] of wanted) writeFileSync(join(folder, name), text)
  console.log(`Written to docs/reference: ${[...wanted.keys()].join(", ")}`)
}

function check(wanted: ReadonlyMap<string, string>): void {
  const stale = [...wanted].filter(([name, text]) => stored(name) !== text).map(([name]) => name)
  const names = [...stale, ...strays(wanted)].map((name) => join("docs", "reference", name))
  if (names.length === 0) {
    console.log(`${wanted.size} pages of docs/reference are current`)
    return
  }
  console.error(`Not what the code says; run \`npm run docs\`:\n${names.join("\n")}`)
  process.exitCode = 1
}

function stored(name: string): string | null {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, "utf8") : null
}

/** Files in the folder that no generator writes any more. */
function strays(wanted: ReadonlyMap<string, string>): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !wanted.has(name)) : []
}
