import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promises } from "../../packages/drop/src/pages/promises.ts"
import { en } from "../../packages/drop/src/pages/texts/en.ts"
import { root } from "../repository.ts"
import { type DropTest, dropTests } from "./drop-test-ids.ts"
import { lines, table } from "./page.ts"

const SOURCES = [
  "packages/*/src/**/*.test.ts",
  "packages/*/testing/**/*-suite.ts",
  "tests/**/*.test.ts",
]
/**
 * A test whose name begins with ids, on the line of its call or the next. Suites call `test`
 * through their own functions.
 */
const NAMED = /\w\(\s*["'`]((?:T\d+, )*T\d+): /g

/** The files that hold tests named with an id, by that id. */
export type TestFiles = ReadonlyMap<string, readonly string[]>

export interface Proofs {
  readonly tests: Readonly<Record<string, DropTest>>
  readonly files: TestFiles
  /** What the pages promise, by the name of its sentence, and the tests that hold it. */
  readonly promises: Readonly<Record<string, readonly string[]>>
}

/**
 * docs/drop-tests.md: the tests of the drop, and the promises of its pages, with the files that
 * hold them.
 */
export function dropTestsPage(): string {
  const proofs: Proofs = { tests: dropTests, files: testFiles(), promises }
  const missing = unproved(proofs)
  if (missing.length > 0)
    throw new Error(`The drop says more than its tests show:\n${missing.join("\n")}`)
  return printed(proofs)
}

/** Reads every test's name from the sources. */
export function testFiles(): TestFiles {
  const found = new Map<string, Set<string>>()
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort())
    for (const [, ids = ""] of readFileSync(join(root, file), "utf8").matchAll(NAMED))
      for (const id of ids.split(", ")) found.set(id, (found.get(id) ?? new Set()).add(file))
  return new Map([...found].map(([id, files]) => [id, [...files]]))
}

/**
 * Claims without proof: a test that nobody wrote or excused, an unknown id, a promise without a
 * test.
 */
export function unproved({ tests, files, promises: promised }: Proofs): string[] {
  const has = (id: string): boolean => files.has(id)
  return [
    ...Object.entries(tests)
      .filter(([id, { notRun }]) => !has(id) && notRun === undefined)
      .map(([id, { proves }]) => `${id} has no test: ${proves}`),
    ...[...files.keys()]
      .filter((id) => !Object.hasOwn(tests, id))
      .map((id) => `${id} is in a test's name and means nothing`),
    ...Object.entries(promised).flatMap(([name, ids]) => {
      const absent = ids.filter((id) => !has(id))
      if (ids.length === 0) return [`${name} has no test`]
      return absent.length > 0 ? [`${name} rests on ${absent.join(", ")}, which no test holds`] : []
    }),
  ]
}

function printed({ tests, files, promises: promised }: Proofs): string {
  const names: Readonly<Record<string, unknown>> = en
  return lines(
    "# Tests of the drop",
    "What the anonymous drop must survive, and the files whose tests are named for it. A number without a test, or a promise of a page without one, fails the build.",
    table(
      ["Test", "What it shows", "Held by"],
      Object.entries(tests).map(([id, { proves, limit, notRun }]) => [
        id,
        limit === undefined ? proves : `${proves}. ${limit}`,
        notRun === undefined ? linked(files.get(id) ?? []) : `**Not run here.** ${notRun}`,
      ]),
    ),
    "## What the pages promise",
    "Each sentence of the pages that promises something, in English, with the tests it rests on.",
    table(
      ["Sentence", "Tests"],
      Object.entries(promised).map(([name, ids]) => [sentence(names[name]), ids.join(", ")]),
    ),
  )
}

/** A sentence as it stands in the texts; of one with forms for numbers, the usual form. */
function sentence(text: unknown): string {
  if (typeof text === "string") return text
  return (text as { readonly other: string }).other
}

function linked(files: readonly string[]): string {
  return files.map((file) => `[${file.replace(/^packages\//, "")}](../${file})`).join(", ")
}
