import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from "node:fs"
import { join } from "node:path"
import { open, type RootDatabase } from "lmdb"
import { IndexUnavailable, KEY_BYTES } from "../exposure-index.ts"
import { Buckets } from "./buckets.ts"
import { type BareDatabase, CheckedDatabase } from "./checked-database.ts"
import { FORMAT, setsAreInBuckets, valuesAreChecked } from "./format.ts"
import { MappedFile } from "./mapped-file.ts"
import { NewestPages } from "./newest-pages.ts"
import { openOwnReads, type OwnRead } from "./own-reads.ts"
import { ownTurn } from "./own-turn.ts"

export interface Environment {
  readonly root: RootDatabase<Uint8Array, Uint8Array>
  /** Identity key → entry set; up to format 3 without buckets. */
  readonly shared: CheckedDatabase | Buckets
  /** Tenant id (4 bytes, big-endian) and identity key → entry set. */
  readonly tenants: CheckedDatabase
  /** Format, catalogue and key check value, each under its name. */
  readonly meta: CheckedDatabase
  /** For a read of its own. */
  readonly single: OwnRead
  /** For the reads that share the state of a turn of the event loop. */
  readonly turn: OwnRead
  /** For look-ups, which read without lmdb where they can. */
  readonly newest: NewestPages
  readonly dataFile: string
  close(): Promise<void>
}

/** The key of a tenant's own evidence of an identity. */
export function tenantKey(tenantId: number, key: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(4 + KEY_BYTES)
  bytes.writeUInt32BE(tenantId)
  bytes.set(key, 4)
  return bytes
}

/** Address space set aside, not disk: a file grows as it fills. */
export const LMDB_MAP_BYTES = 2 ** 40

/** `write` opens existing files, `create` also makes them. */
export type OpenMode = "read" | "write" | "create"

const binary = { encoding: "binary", keyEncoding: "binary" } as const

/**
 * Opens the databases under `path`, creating them unless `mode` says otherwise; only their
 * owner can read the files.
 *
 * `overlappingSync` is lmdb's default and resolves a write before it is on the disk; without it a
 * commit is written, synced and only then pointed to, and its promise resolves last (seen with
 * strace). `eventTurnBatching` wraps writes in a promise that nobody can catch, so that a full disk
 * would end the process. `noMemInit` stays off, so that no page on disk carries what else was in
 * memory.
 */
export function openEnvironment(path: string, mode: OpenMode, mapSize: number): Environment {
  const dataFile = join(path, "data.mdb")
  if (mode === "create") makeFiles(path, dataFile)
  else if (!existsSync(dataFile)) throw noIndex()
  const endTurn = ownTurn(path)
  try {
    const shared = openEnvironments.get(nameOf(dataFile, mode))
    if (shared !== undefined) return sharing(shared)
    if (mode !== "read") keepToOwner(path, dataFile)
    requireDatabase(dataFile)
    const opened = {
      name: nameOf(dataFile, mode),
      path,
      ...openFile(path, mode, mapSize),
      users: 0,
    }
    openEnvironments.set(opened.name, opened)
    return sharing(opened)
  } catch (error) {
    // Another generation took its place meanwhile.
    if (!existsSync(dataFile)) throw noIndex()
    throw error
  } finally {
    endTurn()
  }
}

/**
 * An environment is opened once in a process and shared. LMDB marks a living process by locks on
 * its lock file, and the kernel drops all of them when any descriptor of the file is closed. Other
 * processes would then take this one for dead, and reuse its slot among the readers.
 */
const openEnvironments = new Map<string, OpenedEnvironment>()

interface OpenedEnvironment {
  readonly name: string
  readonly path: string
  readonly databases: Omit<Environment, "close">
  /** Of the file of data: its path may lead to the file of another generation by and by. */
  readonly descriptor: number
  users: number
}

/**
 * Names the file itself, since several paths may lead to it. A writer does not share an environment
 * that was opened for reading only.
 */
function nameOf(dataFile: string, mode: OpenMode): string {
  const { dev, ino } = statSync(dataFile)
  const written = `${dev}:${ino}`
  return mode === "read" && !openEnvironments.has(written) ? `${written} read` : written
}

function sharing(opened: OpenedEnvironment): Environment {
  opened.users++
  let closed = false
  return {
    ...opened.databases,
    async close() {
      if (closed) return
      closed = true
      if (--opened.users > 0) return
      openEnvironments.delete(opened.name)
      opened.databases.newest.end()
      closeSync(opened.descriptor)
      const endTurn = ownTurn(opened.path)
      try {
        await opened.databases.root.close()
      } finally {
        endTurn()
      }
    },
  }
}

function openFile(
  path: string,
  mode: OpenMode,
  mapSize: number,
): Pick<OpenedEnvironment, "databases" | "descriptor"> {
  const descriptor = openSync(join(path, "data.mdb"), "r")
  try {
    return { databases: openDatabases(path, descriptor, mode, mapSize), descriptor }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function openDatabases(
  path: string,
  descriptor: number,
  mode: OpenMode,
  mapSize: number,
): Omit<Environment, "close"> {
  const options = {
    path,
    readOnly: mode === "read",
    mapSize,
    maxDbs: 4,
    noSubdir: false,
    overlappingSync: false,
    eventTurnBatching: false,
  }
  const root = open<Uint8Array, Uint8Array>({ ...options, ...binary })
  try {
    // Undefined where it is missing and the index is opened for reading.
    const named = (name: string): BareDatabase | undefined => root.openDB(name, { ...binary })
    // The one that older indexes lack comes first: where the last is there, all are.
    const moved = named("shared-2")
    const [shared, tenants, meta] = [named("shared"), named("tenants"), named("meta")]
    if (shared === undefined || tenants === undefined || meta === undefined) {
      // Whoever made it died before it had its databases, and before anything was in them.
      if ([shared, tenants, meta].every((each) => each === undefined || isEmpty(each)))
        throw noIndex()
      throw new IndexUnavailable("The index lacks one of its databases")
    }
    const reads = openOwnReads(root)
    const inBuckets = setsAreInBuckets(meta)
    if (inBuckets && moved === undefined)
      throw new IndexUnavailable("The index lacks one of its databases")
    const checked = valuesAreChecked(meta)
    const checkedMeta = new CheckedDatabase(meta, checked)
    // A smaller map is moved when the file outgrows it.
    const mapped = (): MappedFile | null =>
      mapSize < LMDB_MAP_BYTES ? null : MappedFile.of(meta, FORMAT, descriptor, mapSize)
    return {
      root,
      ...reads,
      newest: new NewestPages(reads.turn, mapped),
      shared:
        inBuckets && moved !== undefined
          ? new Buckets([shared, moved], checkedMeta)
          : new CheckedDatabase(shared, checked, mode === "read"),
      tenants: new CheckedDatabase(tenants, checked, mode === "read"),
      meta: checkedMeta,
      dataFile: join(path, "data.mdb"),
    }
  } catch (error) {
    void root.close()
    throw error
  }
}

function noIndex(): IndexUnavailable {
  return new IndexUnavailable("There is no index to read", {}, "none")
}

function isEmpty(database: BareDatabase): boolean {
  for (const _ of database.getKeys({ limit: 1 })) return false
  return true
}

// LMDB creates its files readable for all. Made here first, empty, they have no moment in which
// they are.
function makeFiles(path: string, dataFile: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  makeFile(dataFile)
  keepToOwner(path, dataFile)
  const directory = openSync(path, "r")
  fsyncSync(directory)
  closeSync(directory)
}

function makeFile(file: string): void {
  closeSync(openSync(file, "a", 0o600))
}

function keepToOwner(path: string, dataFile: string): void {
  const lockFile = join(path, "lock.mdb")
  if (!existsSync(lockFile)) makeFile(lockFile)
  chmodSync(path, 0o700)
  for (const file of [dataFile, lockFile]) chmodSync(file, 0o600)
}

/**
 * Each of the first two pages of a database describes it: a page header of 24 bytes, then the
 * values read here.
 */
const META = { bytes: 160, magicAt: 24, versionAt: 28, pageSizeAt: 48 }
const MAGIC = 0xbeef_c0de
const DATA_VERSION = 2

// lmdb 3.5.6 ends the whole process when it opens a file that is no database, so that is found out
// before. An empty file is a database to be.
function requireDatabase(file: string): void {
  const descriptor = openSync(file, "r")
  try {
    const first = Buffer.alloc(META.bytes)
    const length = readSync(descriptor, first, 0, META.bytes, 0)
    if (length === 0) return
    const second = Buffer.alloc(META.bytes)
    readSync(descriptor, second, 0, META.bytes, first.readUInt32LE(META.pageSizeAt))
    if (!isMeta(first) || !isMeta(second)) throw new IndexUnavailable("The index file is damaged")
  } finally {
    closeSync(descriptor)
  }
}

function isMeta(page: Buffer): boolean {
  return (
    page.readUInt32LE(META.magicAt) === MAGIC && page.readUInt32LE(META.versionAt) === DATA_VERSION
  )
}
