import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DropsError } from "./drops-error.ts"

/** Of the file; grows by one with each change of its tables. */
const FORMAT = 2

const NAME = "drops.sqlite"
/** Being written by a rewrite; of no use unless the file itself is missing. */
const NEXT = `${NAME}.new`
/** What a rewrite replaced, until it is overwritten and removed. */
const FORMER = `${NAME}.old`
/** Takes up room on the disk that is given back when even a deletion finds none. */
const RESERVE = "reserve"
/** More than the journal of one deleted piece and of the pages that move into its place. */
const RESERVE_BYTES = 2 * 1024 * 1024

/**
 * Every table is WITHOUT ROWID: a rowid counts up, so it would keep the order of arrival through
 * every rewrite. Keys are random, and so is therefore the order of rows. No table has a time.
 * `chunk` holds pieces of uploads under way too: they are a message's as soon as `blob` has a row
 * for them.
 */
const TABLES = `
  create table meta (name text primary key, value blob not null) without rowid;
  create table blob (
    id blob primary key, size integer not null, purge_day integer not null, effort integer not null,
    unread integer not null, withdraw_verifier blob not null
  ) without rowid;
  create table chunk (
    id blob not null, i integer not null, data blob not null, primary key (id, i)
  ) without rowid;
  create table mailbox (
    tag blob not null, id blob not null, purge_day integer not null, delete_verifier blob not null,
    data blob not null, primary key (tag, id)
  ) without rowid;
  create table note (id blob primary key, purge_day integer not null, data blob not null) without rowid;
  create table posted (id blob primary key, purge_day integer not null) without rowid;
  pragma user_version = ${FORMAT};
`

/** The drop's one file, open for its one writer. */
export interface DropsFile {
  /** Another one after each rewrite. */
  readonly database: DatabaseSync
  /**
   * Writes the file anew, in the order of its keys, and overwrites and removes the old one. A fault
   * before the new one is whole leaves the old one in use.
   */
  rewrite(): void
  /**
   * Runs `work` with room that is kept for it: SQLite needs some to delete, and on a full disk
   * nothing else would make any.
   */
  inReserve(work: () => void): void
  close(): void
}

export function openDropsFile(folder: string): DropsFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  settleRewrite(folder)
  const path = join(folder, NAME)
  let database = openDatabase(path)
  const reserve = join(folder, RESERVE)
  keepReserve(reserve)
  return {
    get database() {
      return database
    },
    rewrite() {
      const next = join(folder, NEXT)
      writeAnew(database, next)
      database.close()
      try {
        renameSync(path, join(folder, FORMER))
        renameSync(next, path)
        syncFolder(folder)
      } finally {
        settleRewrite(folder)
        database = openDatabase(path)
      }
    },
    inReserve(work) {
      rmSync(reserve, { force: true })
      try {
        work()
      } finally {
        keepReserve(reserve)
      }
    },
    close: () => database.close(),
  }
}

/** If there is no room for the reserve, there is none: the next opening or deletion tries again. */
function keepReserve(path: string): void {
  try {
    if (existsSync(path) && statSync(path).size === RESERVE_BYTES) return
    // Random, because a file system that compresses would keep no room for zeros.
    writeFileSync(path, randomBytes(RESERVE_BYTES), { mode: 0o600 })
  } catch {
    rmSync(path, { force: true })
  }
}

/**
 * Completes a rewrite that a crash cut short. The file is missing only between two renames, and
 * before them its successor was complete and on the disk, so the successor takes its place. Any
 * other leftover is overwritten and removed.
 */
function settleRewrite(folder: string): void {
  const [path, next, former] = [NAME, NEXT, FORMER].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  if (!existsSync(path)) {
    if (existsSync(next)) renameSync(next, path)
    else if (existsSync(former))
      throw new DropsError("damaged", "The drop has lost its file between two rewrites")
    syncFolder(folder)
  }
  for (const leftover of [next, `${next}-journal`, former]) erase(leftover)
  syncFolder(folder)
}

function writeAnew(database: DatabaseSync, next: string): void {
  try {
    // Made here, because SQLite would give it the mode of the process; it takes an empty file as if
    // there were none.
    closeSync(openSync(next, "wx", 0o600))
    database.prepare("vacuum into ?").run(next)
    sync(next)
  } catch (error) {
    erase(next)
    erase(`${next}-journal`)
    throw error
  }
}

function openDatabase(path: string): DatabaseSync {
  // SQLite gives the journal beside it the same mode.
  closeSync(openSync(path, "a", 0o600))
  chmodSync(path, 0o600)
  const database = new DatabaseSync(path)
  try {
    // The first reading rolls back what a crash cut off. A journal that is still there after it was
    // not begun in earnest: SQLite would let it lie, with pages from before a deletion in it.
    const format = Number(database.prepare("pragma user_version").get()?.["user_version"])
    erase(`${path}-journal`)
    if (format > FORMAT)
      throw new DropsError("newer-format", "The drop's file was written by a newer Assay")
    // extra: a commit that was acknowledged survives a power cut, although what commits it is the
    // removal of the journal.
    database.exec(`
      pragma journal_mode = delete;
      pragma synchronous = extra;
      pragma secure_delete = on;
      pragma trusted_schema = off;
      pragma temp_store = memory;
      pragma mmap_size = 0;
    `)
    // auto_vacuum counts only before the first table.
    if (format === 0) database.exec(`pragma auto_vacuum = full; begin immediate; ${TABLES} commit`)
    // Format 1 kept used tokens with the hour they ended in, which revealed when messages came.
    if (format === 1)
      database.exec(`begin immediate; drop table spent; pragma user_version = ${FORMAT}; commit`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const ZEROS = new Uint8Array(1024 * 1024)

/**
 * Overwrites a file with zeros, then removes it. On an SSD the old bytes may outlive that; an
 * encrypted disk is the first line.
 */
function erase(path: string): void {
  if (!existsSync(path)) return
  const file = openSync(path, "r+")
  try {
    const { size } = fstatSync(file)
    for (let at = 0; at < size;)
      at += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, size - at), at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  rmSync(path)
}

function sync(path: string): void {
  const file = openSync(path, "r+")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
