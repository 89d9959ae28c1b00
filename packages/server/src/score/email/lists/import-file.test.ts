import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { readImportFile } from "./import-file.ts"
import { Explained } from "@assay/runtime/explained"

test("a domain a line, a hosts file and CSV give the same domains", () => {
  const expected = ["a.example", "b.example", "xn--bcher-kva.example"]
  const texts = [
    "b.example\nA.example\nbücher.example\n",
    "\ufeffa.example\r\n\r\n# comment\r\nb.example # why\r\nbücher.example\r\na.example",
    "127.0.0.1 localhost\n::1 ip6-localhost localhost\n0.0.0.0 0.0.0.0\n0.0.0.0 a.example b.example\n0.0.0.0\tbücher.example\n",
    'domain,category,note\n"a.example",toxic,"x, y"\nb.example,,\nbücher.example,1\n',
  ]
  for (const text of texts) assert.deepEqual(readImportFile(text), expected, text)
})

test("one line that cannot be read refuses the whole file by its number, without quoting it", () => {
  for (const text of [
    "a.example\ncanary canary\nb.example\n",
    "a.example\ncanary@b.example\n",
    "0.0.0.0 a.example\n0.0.0.0 canary_x.example\n",
    "a.example,1\ncanary,2\n",
  ])
    assert.throws(
      () => readImportFile(text),
      (error) =>
        error instanceof Explained &&
        error.code === "lists" &&
        error.message.startsWith("line 2: ") &&
        !error.message.includes("canary"),
      text,
    )
})

test("a file without a domain is refused: it would empty a list in silence", () => {
  for (const text of ["", "\n# nothing\n", "domain,note\n", "127.0.0.1 localhost\n"])
    assert.throws(() => readImportFile(text), { code: "lists" })
})

test("what was read is read again as itself, whatever the order of lines", () => {
  const domain = fc.stringMatching(/^[a-z][a-z0-9]{0,9}\.(example|co\.uk|test)$/)
  fc.assert(
    fc.property(fc.array(domain, { minLength: 1, maxLength: 20 }), (domains) => {
      const read = readImportFile(domains.join("\n"))
      assert.deepEqual(readImportFile(read.toReversed().join("\r\n")), read)
      assert.deepEqual(new Set(read), new Set(domains))
    }),
    { seed: 20261115, numRuns: 300 },
  )
})
