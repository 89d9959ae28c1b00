import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { test } from "node:test"
import { openInputs } from "../inputs/members.ts"
import type { FormatHints } from "./detect.ts"
import type { ParsedRow } from "./format.ts"
import { readMember } from "./test-read.ts"

const FOLDER = fileURLToPath(new URL("golden/", import.meta.url))
const EXPECTED = ".expected.json"
const TABULAR = /^(?:csv|feed|json|ndjson)-/

interface Expected {
  readonly hints?: FormatHints["map"]
  readonly format: unknown
  readonly rows: unknown
  readonly rejects: unknown
}

for (const name of readdirSync(FOLDER).filter((file) => TABULAR.test(file))) {
  if (name.endsWith(EXPECTED)) continue
  test(`the golden file ${name} gives the rows and rejects written beside it`, async () => {
    const expected = JSON.parse(
      readFileSync(join(FOLDER, `${name}${EXPECTED}`), "utf8"),
    ) as Expected
    const inputs = await openInputs([join(FOLDER, name)])
    for await (const member of inputs.members()) {
      const { format, rows, rejects } = await readMember(member, { map: expected.hints ?? {} })
      const { hints: _, ...said } = expected
      assert.deepEqual(said, {
        format: JSON.parse(JSON.stringify(format)) as unknown,
        rows: rows.map(shortRow),
        rejects: rejects.map(({ line, reason }) => `${line} ${reason}`),
      })
    }
    await inputs.close()
  })
}

/** A row without what it does not say. */
function shortRow(row: ParsedRow & { readonly line: number }): unknown {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) =>
        value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
