import assert from "node:assert/strict"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { ListsError, openLists } from "./lists.ts"

function lists(...files: string[]): ReturnType<typeof openLists> {
  const directory = mkdtempSync(join(tmpdir(), "assay-lists-"))
  files.forEach((text, at) => writeFileSync(join(directory, `${at}.csv`), text))
  return openLists(directory)
}

test("a domain is found by itself and by its parents, never by a name that only ends alike", () => {
  const { find } = lists("throwaway.example,disposable,\nbücher.example,free,\n")
  assert.deepEqual(find("throwaway.example"), {
    domain: "throwaway.example",
    category: "disposable",
    origin: "0.csv",
  })
  assert.equal(find("a.b.throwaway.example")?.category, "disposable")
  assert.equal(find("xn--bcher-kva.example")?.category, "free")
  assert.equal(find("notthrowaway.example"), null)
  assert.equal(find("example"), null)
})

test("masked wins over disposable, disposable over free, whatever the order of lists", () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ]) {
    const files = ["x.example,masked,", "x.example,disposable,", "x.example,free,"]
    assert.equal(lists(...order.map((at) => files[at] ?? "")).find("x.example")?.category, "masked")
  }
})

test("comments, blank lines and Windows line ends are read; a line that cannot be used is named", () => {
  assert.equal(lists("# note\r\n\r\nx.example,free,a note, with a comma\r\n").size, 1)
  assert.throws(
    () => lists("x.example,free,\nnot a domain,free,\n"),
    (error) => error instanceof ListsError && /0\.csv, line 2/.test(error.message),
  )
  assert.throws(() => lists("x.example,nonsense,"), ListsError)
})

test("no directory is no lists", () => {
  const { size, newestAt } = openLists(join(tmpdir(), "assay-lists-nowhere"))
  assert.deepEqual([size, newestAt], [0, null])
})
