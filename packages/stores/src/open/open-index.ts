import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Type } from "typebox"
import { Value } from "typebox/value"
import { IndexUnavailable, type ExposureIndex } from "../exposure-index.ts"
import type { IndexEngine, IndexMember, IndexPlace, RemoteIndex } from "../index-place.ts"
import { openLmdbIndex } from "../lmdb/exposure-index.ts"
import { cluster } from "../redis/engine.ts"

/** The engines that ASSAY_INDEX_URL can name. */
const engines: readonly IndexEngine[] = [
  // Redis or Valkey
  cluster,
]

export const indexUrls = {
  takes: engines.map(({ takes }) => takes).join(", or "),
  isTaken: (url: string): boolean => engines.some((engine) => engine.at(url) !== null),
}

/** An index before it is opened, and what can be done to it. */
export interface IndexAt {
  /**
   * The directory it lies in. Null: it lies elsewhere, and commands cannot copy, compact, rebuild,
   * rekey or walk it.
   */
  readonly files: string | null
  open(use: { readonly readOnly: boolean }): Promise<ExposureIndex>
  /** What puts the index at risk in how its engine is set up, one sentence each. */
  advice(): Promise<readonly string[]>
  /** The processes of its engine; none where it is in files. */
  members(): Promise<readonly IndexMember[]>
}

/**
 * The index of a place: this is the only code that chooses between engines. An index in the data
 * directory and one named by a URL do not replace each other, since the replacement would know
 * nobody and call everyone clean.
 */
export function indexAt(place: IndexPlace): IndexAt {
  const files = join(place.dataDirectory, "index")
  const remote = remoteIndexAt(place)
  if (remote === null)
    return {
      files,
      open: (use) => openOwn(files, use),
      advice: async () => [],
      members: async () => [],
    }
  return {
    files: null,
    open: ({ readOnly }) => openRemote(remote, place, files, readOnly),
    advice: () => remote.advice(place),
    members: () => remote.members(place),
  }
}

/** The index that a URL names; null: it is in the data directory. */
export function remoteIndexAt({ indexUrl: url }: IndexPlace): RemoteIndex | null {
  if (url === null) return null
  for (const engine of engines) {
    const remote = engine.at(url)
    if (remote !== null) return remote
  }
  throw new IndexUnavailable(`ASSAY_INDEX_URL takes ${indexUrls.takes}`)
}

export async function openIndex(
  place: IndexPlace,
  use: { readonly readOnly: boolean },
): Promise<ExposureIndex> {
  return await indexAt(place).open(use)
}

async function openOwn(
  path: string,
  { readOnly }: { readonly readOnly: boolean },
): Promise<ExposureIndex> {
  if (!hasOwnIndex(path) && existsSync(join(path, MARKS))) {
    throw new IndexUnavailable(
      "The index of this data directory is in a cluster; ASSAY_INDEX_URL must name it",
    )
  }
  return await openLmdbIndex({ path, readOnly })
}

async function openRemote(
  remote: RemoteIndex,
  place: IndexPlace,
  path: string,
  readOnly: boolean,
): Promise<ExposureIndex> {
  if (hasOwnIndex(path)) {
    throw new IndexUnavailable(
      "This data directory has an index of its own; with ASSAY_INDEX_URL it must not have one",
    )
  }
  const { indexName: name } = place
  const mark = readMarks(path)[name]
  const index = await remote.open(place, { readOnly, mayMake: mark === undefined })
  if (mark !== undefined && index.mark !== mark) {
    await index.close()
    throw new IndexUnavailable("The cluster has another index than the one it had before")
  }
  if (mark === undefined && !readOnly) rememberMark(path, name, index.mark)
  return index
}

function hasOwnIndex(path: string): boolean {
  return existsSync(join(path, "data.mdb"))
}

/**
 * Holds the marks of the indexes elsewhere that this data directory was served from, by their
 * names. An engine that lost everything looks like a new one. The mark shows which it is, because
 * an empty index would call everyone clean.
 */
const MARKS = "cluster.json"
const Marks = Type.Object({ marks: Type.Record(Type.String(), Type.String()) })

function readMarks(path: string): Readonly<Record<string, string>> {
  const file = join(path, MARKS)
  if (!existsSync(file)) return {}
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (Value.Check(Marks, stored)) return stored.marks
  } catch (cause) {
    throw new IndexUnavailable(`${file} cannot be read`, { cause })
  }
  throw new IndexUnavailable(`${file} is damaged`)
}

function rememberMark(path: string, name: string, mark: string): void {
  const file = join(path, MARKS)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify({ marks: { ...readMarks(path), [name]: mark } })}\n`
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}
