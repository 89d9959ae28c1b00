import { mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../scripts/repository.ts"

/**
 * Keeps a bench's figures as JSON for programs and as a page for people; returns the paths it
 * wrote.
 */
export function writeResults(name: string, figures: object, page: string): readonly string[] {
  const folder = join(root, "bench", "results")
  mkdirSync(folder, { recursive: true })
  const [json, markdown] = [join(folder, `${name}.json`), join(folder, `${name}.md`)]
  writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`)
  writeFileSync(markdown, page)
  return [json, markdown].map((file) => relative(root, file))
}
