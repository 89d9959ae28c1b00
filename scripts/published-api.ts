// The API as it was published, in tests/fixtures/published: what later versions are compared with.
// `node --conditions=source scripts/published-api.ts` writes that of today in its place, at a
// release, and refuses where it would break a caller.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { problems } from "@assay/core/contract"
import { type Api, apiBreaks } from "./api-breaks.ts"
import { askDemoServer } from "./reference/demo-server.ts"
import { root } from "./repository.ts"

export const publishedFile = join(root, "tests", "fixtures", "published", "api-v1.json")

/** What a description of OpenAPI says that a caller can rely on, without words for people. */
export function publishedPart(description: object): Api {
  const api = withoutWords(description) as Api
  return {
    paths: api.paths,
    webhooks: api.webhooks,
    components: { schemas: api.components.schemas },
    problems: Object.fromEntries(
      Object.entries(problems).map(([code, { status }]) => [code, status]),
    ),
  }
}

export function publishedApi(): Api {
  return JSON.parse(readFileSync(publishedFile, "utf8")) as Api
}

/** Keywords of schemas and operations that are for people. */
const WORDS: ReadonlySet<string> = new Set([
  "description",
  "summary",
  "example",
  "examples",
  "tags",
  "security",
  "operationId",
])

function withoutWords(node: unknown, isNames = false): unknown {
  if (Array.isArray(node)) return node.map((each: unknown) => withoutWords(each))
  if (typeof node !== "object" || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      // A member of a body may well be called `description`.
      .filter(([name]) => isNames || !WORDS.has(name))
      .map(([name, value]: [string, unknown]) => {
        const kept = name === "responses" && !isNames ? successes(value as object) : value
        const holdsNames = !isNames && (name === "properties" || name === "schemas")
        return [name, withoutWords(kept, holdsNames)]
      }),
  )
}

/** Failures are the same problem document everywhere, and which ones there are may grow. */
function successes(responses: object): object {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2")))
}

if (import.meta.main) {
  const text = await askDemoServer(
    async (base) => await (await fetch(`${base}/openapi.json`)).text(),
  )
  const today = publishedPart(JSON.parse(text) as object)
  const breaks = existsSync(publishedFile)
    ? apiBreaks(publishedApi(), today, new Date().toISOString().slice(0, 10))
    : []
  if (breaks.length === 0) writeFileSync(publishedFile, `${JSON.stringify(today, null, 1)}\n`)
  else {
    console.error(`Not written, because callers would break:\n${breaks.join("\n")}`)
    process.exitCode = 1
  }
}
