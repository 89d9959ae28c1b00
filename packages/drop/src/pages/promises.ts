import type { PromiseKey } from "./texts/texts.ts"

/** A test by its number; its file holds a test whose name begins with it. */
export type TestId = `T${number}`

/**
 * Every sentence of the pages that promises something, with the tests that prove it. A promise
 * cannot be printed without an entry here, and an entry without a test fails the build of the
 * documents.
 */
export const promises: Readonly<Record<PromiseKey, readonly TestId[]>> = {
  "promise-sealed": ["T10", "T29", "T30"],
  "promise-readers": ["T3", "T9"],
  "promise-kept": ["T28", "T31", "T33", "T34"],
  "promise-order": ["T31"],
  "promise-unlinked": ["T32"],
  "promise-modes": ["T7", "T8"],
  "promise-backup": ["T35"],
  "promise-strip": ["T44", "T45"],
  "promise-names": ["T46"],
  "promise-code": ["T16", "T29"],
  "promise-alike": ["T15"],
  "promise-forget": ["T36"],
  "promise-replies-kept": ["T34"],
  "promise-delete": ["T18", "T19"],
  "promise-withdrawn": ["T18", "T20"],
  "promise-presealed": ["T7", "T8"],
  "promise-done": ["T16", "T27", "T28"],
  "promise-hashes": ["T55"],
  "promise-nothing-stored": ["T11", "T40"],
}
