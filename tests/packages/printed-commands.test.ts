import assert from "node:assert/strict"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { root } from "../../scripts/repository.ts"

const reference = readFileSync(join(root, "docs/reference/command-line.md"), "utf8")

/**
 * Lines of code blocks, of the pages people read; generated ones describe the commands themselves.
 */
function codeLines(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8")
  if (text.startsWith("<!-- Printed by")) return []
  const blocks = text.matchAll(/^ *```(?:sh|text|bash|console)\n([^]*?)^ *```$/gm)
  return [...blocks].flatMap(([, block = ""]) => block.split("\n"))
}

const pages = ["README.md", ...globSync("docs/*.md", { cwd: root })]

test("commands in README and pages are printed as they work in a checkout", () => {
  for (const file of pages.filter((page) => page !== "docs/architecture.md"))
    for (const line of codeLines(file))
      assert.doesNotMatch(line, /^\s*(?:\$ )?(?:\w+=\S+ )*assay [a-z]/, `${file}: ${line}`)
})

test("every command in README and pages is one there is", () => {
  let found = 0
  for (const file of pages)
    for (const line of codeLines(file))
      for (const [, verb = "", second = ""] of line.matchAll(
        /npx assay ([a-z]+)(?: ([a-z-]+))?/g,
      )) {
        found++
        const isThere = [`assay ${verb} ${second}`, `assay ${verb}`].some((name) =>
          reference.includes(name.trimEnd()),
        )
        assert.ok(isThere, `${file}: ${line}`)
      }
  assert.ok(found > 30, `${found}`)
})

test("messages print commands as they work in a checkout", () => {
  const verbs = [...reference.matchAll(/^## assay ([a-z]+)/gm)].map(([, verb]) => verb)
  const bare = new RegExp(`(?<!npx )\\bassay (?:${[...new Set(verbs)].join("|")})\\b`)
  const sources = globSync("packages/*/src/**/*.ts", { cwd: root }).filter(
    (file) => !/(?:\.test|-suite)\.ts$/.test(file),
  )
  assert.ok(sources.length > 300, `${sources.length}`)
  for (const file of sources)
    for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
      // Comments name commands in short, and the journal's first line is no command.
      if (/^\s*(?:\/\/|\/?\*)/.test(line) || line.includes("assay decisions journal")) continue
      assert.doesNotMatch(line, bare, file)
    }
})
