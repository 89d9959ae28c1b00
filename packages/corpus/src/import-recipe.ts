import { createHash } from "node:crypto"
import type { ImportRecipe, SourceDescription } from "@assay/stores/exposure-index"
import type { FormatHints } from "./formats/head.ts"
import type { SourceRequest } from "./source-request.ts"

/** What bears on the rows of an import, of all that a person asks for. */
interface Asked {
  readonly source: SourceRequest
  readonly hints: FormatHints
}

/** The choices of an earlier import of the same files; a repetition makes the same ones. */
export interface RepeatedImport {
  readonly description: SourceDescription
  /** The moment of rows without a date, where the source has none either. */
  readonly startedAtMs: number
  readonly keyedAs: ImportRecipe["keyedAs"]
}

/**
 * A catalogue is read often, so it names no more inputs than this. A person with more files can
 * name their folder instead.
 */
const INPUTS_MAX = 1_000
/** 64 bits: enough to distinguish the files of one operator. */
const DIGEST_LETTERS = 16

export function recipeOf(
  asked: Asked,
  { inputs }: { readonly inputs: readonly string[] },
  keyedAs: ImportRecipe["keyedAs"],
): ImportRecipe {
  return {
    inputs: inputs.length > INPUTS_MAX ? null : inputs.map(inputName),
    said: saidBy(asked),
    keyedAs,
  }
}

/** The short form under which a recipe names the contents of a file or folder. */
export function inputName(digest: string): string {
  return digest.slice(0, DIGEST_LETTERS)
}

/**
 * Identifies the bytes of the input and every option that changes what a row becomes. The
 * description of the source is left out: a new title must not bring the same rows in twice.
 */
export function fingerprintOf(asked: Asked, { sha256 }: { readonly sha256: string }): string {
  const { kind, date, format, map } = saidBy(asked)
  const columns = Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash("sha256")
    .update(JSON.stringify([sha256, asked.source.name, kind, date, format, columns]))
    .digest("hex")
}

function saidBy({ source, hints }: Asked): ImportRecipe["said"] {
  const { described } = source
  return {
    kind: source.kind ?? described?.kind ?? null,
    date: source.date ?? described?.eventDate ?? null,
    format: hints.format ?? null,
    map: hints.map,
  }
}
