import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { Detected } from "./format.ts"
import { describeFormat, detectFormat } from "./formats.ts"
import {
  GOLDEN_FILES,
  GOLDEN_FOLDER,
  readAll,
  type ReadAll,
} from "../../testing/formats/read-all-suite.ts"

// Every file holds made-up people. The expected result stands beside each file.

function detected(name: string, bytes: Buffer): Detected {
  const found = detectFormat(name, bytes, { map: {} })
  assert.ok(found !== null, `${name} was not recognised`)
  return found
}

for (const name of GOLDEN_FILES) {
  test(`${name} gives exactly the expected rows and rejects`, async () => {
    const path = join(GOLDEN_FOLDER, name)
    const bytes = readFileSync(path)
    const found = detected(name, bytes)
    const expected = JSON.parse(readFileSync(path.replace(/txt$/, "json"), "utf8")) as ReadAll
    const whole = await readAll(bytes, found)
    assert.deepEqual({ format: describeFormat(found), ...whole }, expected)
    // However the bytes arrive, a pair of line ends or a character cut through included.
    for (const pieceBytes of [1, 3, 7]) {
      assert.deepEqual(await readAll(bytes, found, pieceBytes), whole)
    }
  })
}

test("every line format has a golden file", () => {
  const names = GOLDEN_FILES.map(
    (name) => detected(name, readFileSync(join(GOLDEN_FOLDER, name))).format.name,
  )
  assert.deepEqual([...new Set(names)].sort(), [
    "combolist",
    "labelled-lines",
    "password-first",
    "stealer-blocks",
    "url-login-password",
  ])
})
