import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { IndexUnavailable } from "../exposure-index.ts"
import { type Environment, openEnvironment } from "./environment.ts"
import { supersededBy } from "./stored.ts"

/**
 * An index is a row of generations, of which the last is served. The first lies in the index's
 * directory itself, the others in separate directories beside it; then `data.mdb` is a link to the
 * file of the generation in use, so that a program from before generations reads its format there
 * and refuses.
 *
 * The link only follows and does not decide: a generation is over when its own catalogue version
 * names its successor. That is one commit of one database, so that a process killed anywhere leaves
 * one generation or the other.
 */
export interface OpenGeneration extends Environment {
  readonly generation: number
}

const LINK = "data.mdb"
const NAME = /^generation-(\d{1,9})$/
/**
 * Each attempt but the last found that a generation ended meanwhile, which takes at least a whole
 * compaction.
 */
const ATTEMPTS_MAX = 10

/**
 * Opens the generation in use. Makes the first one if there is none and `readOnly` does not forbid
 * it.
 */
export function openCurrent(path: string, readOnly: boolean, mapSize: number): OpenGeneration {
  let missing: IndexUnavailable | null = null
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const linked = linkedGeneration(path)
    let opened: OpenGeneration | null = null
    try {
      opened = openGeneration(path, linked, readOnly, mapSize)
      const next = successorOf(opened)
      if (next === null && linkedGeneration(path) === linked) return opened
      if (next !== null) {
        const successor = openGeneration(path, next, readOnly, mapSize)
        if (successorOf(successor) === null) {
          void opened.close()
          return successor
        }
        void successor.close()
      }
    } catch (error) {
      // Its files may be gone because yet another generation took its place; then the link names
      // that one next time.
      if (!(error instanceof IndexUnavailable && error.code === "none")) throw error
      missing = error
    }
    void opened?.close()
  }
  throw missing ?? new IndexUnavailable("The index has no generation in use")
}

/** Reads the present state: an environment that was open already may hold an older snapshot. */
function successorOf({ root, meta }: OpenGeneration): number | null {
  root.resetReadTxn()
  return supersededBy(meta)
}

function openGeneration(
  path: string,
  generation: number,
  readOnly: boolean,
  mapSize: number,
): OpenGeneration {
  const isNew =
    generation === 0 && !existsSync(join(path, LINK)) && generationNumbers(path).length === 0
  const mode = readOnly ? "read" : isNew ? "create" : "write"
  const directory = generationDirectory(path, generation)
  return { ...openEnvironment(directory, mode, mapSize), generation }
}

/** Makes the files of a new generation that is not in use yet. */
export function createGeneration(
  path: string,
  generation: number,
  mapSize: number,
): OpenGeneration {
  const directory = generationDirectory(path, generation)
  const environment = openEnvironment(directory, "create", mapSize)
  syncDirectory(path)
  return { ...environment, generation }
}

function generationDirectory(path: string, generation: number): string {
  return generation === 0 ? path : join(path, `generation-${generation}`)
}

/** Names a generation as the one to open first. */
export function linkGeneration(path: string, generation: number): void {
  const link = join(path, LINK)
  rmSync(`${link}.new`, { force: true })
  symlinkSync(join(`generation-${generation}`, LINK), `${link}.new`)
  renameSync(`${link}.new`, link)
  syncDirectory(path)
}

/** The generation that the link names; 0 where there is no link. */
export function linkedGeneration(path: string): number {
  let target: string
  try {
    target = readlinkSync(join(path, LINK))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "EINVAL") return 0
    throw error
  }
  const number = NAME.exec(dirname(target))?.[1]
  if (number === undefined) throw new IndexUnavailable("The index is a link to something else")
  return Number(number)
}

/** Those with a directory of their own, in use or not. */
export function generationNumbers(path: string): number[] {
  if (!existsSync(path)) return []
  return readdirSync(path)
    .map((name) => NAME.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
}

/**
 * Deletes the files of a generation that is over or was never used. A process that has it open can
 * go on reading it.
 */
export function deleteGeneration(path: string, generation: number): void {
  // Whoever still opens it may have made a file in it meanwhile.
  const options = { recursive: true, force: true, maxRetries: 5 } as const
  rmSync(generationDirectory(path, generation), options)
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r")
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
