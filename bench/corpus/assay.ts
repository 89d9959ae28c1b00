import { basename, dirname, join } from "node:path"
import { readdirSync } from "node:fs"
import type { ExposureIndex } from "../../packages/stores/src/exposure-index.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { assayProgram, BUILT } from "../../scripts/program.ts"
import { BenchError } from "../bench.ts"
import { type MeasuredRun, runMeasured } from "./run-measured.ts"

/** Of the bench's lists. */
export const IMPORT = [
  ...["--source", "bench", "--kind", "combolist", "--date", "2026-01-01"],
] as const

/** Throws where the sources would run: reading them is most of a small import. */
export function requireBuilt(): void {
  const program = assayProgram().at(-1) ?? ""
  if (dirname(program) !== BUILT)
    throw new BenchError(`${basename(program)} is newer than the built programs: build them first`)
}

export async function assay(data: string, ...args: readonly string[]): Promise<MeasuredRun> {
  return await runMeasured(process.execPath, [...assayProgram(), ...args], {
    env: { ASSAY_DATA: data },
  })
}

export async function importList(
  data: string,
  file: string,
  ...more: readonly string[]
): Promise<MeasuredRun> {
  return await assay(data, "corpus", "import", file, ...IMPORT, ...more)
}

export async function indexOf<T>(
  data: string,
  work: (index: ExposureIndex) => Promise<T>,
): Promise<T> {
  const index = await openLmdbIndex({ path: join(data, "index"), readOnly: true })
  try {
    return await work(index)
  } finally {
    await index.close()
  }
}

export async function bytesAnIdentity(data: string): Promise<number> {
  const { bytes, identities } = await indexOf(data, (index) => index.stats())
  return bytes / identities
}

export function onlySegment(data: string): string {
  const [name] = readdirSync(join(data, "segments")).filter((file) => file.endsWith(".parquet"))
  if (name === undefined) throw new BenchError("the import left no segment")
  return join(data, "segments", name)
}
