import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { linkedGeneration } from "./generations.ts"

/** What came of the last time that the index was read through. */
export interface Verification {
  readonly at: number
  /** The faults of the index itself, a sentence each. */
  readonly faults: readonly string[]
}

/** Lies in the directory of the index, so that it goes with it when another is put in its place. */
const NAME = "verified.json"

/** Called when a full read begins: its result applies to the generation in use at that time. */
export function beginVerification(index: string): (verification: Verification) => void {
  const generation = linkedGeneration(index)
  return (verification) => {
    if (linkedGeneration(index) !== generation) return
    const file = join(index, NAME)
    writeFileSync(`${file}.new`, JSON.stringify(verification), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
}

/**
 * For a rebuilt index: the faults found before are fixed. A compacted index still has all its
 * faults.
 */
export function forgetVerification(index: string): void {
  rmSync(join(index, NAME), { force: true })
}

/** Null: there was none, or its file cannot be read. */
export function readVerification(index: string): Verification | null {
  try {
    const { at, faults } = JSON.parse(
      readFileSync(join(index, NAME), "utf8"),
    ) as Partial<Verification>
    return typeof at === "number" && Array.isArray(faults) ? { at, faults } : null
  } catch {
    return null
  }
}
