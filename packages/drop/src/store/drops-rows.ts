// The rows of the drop's file: how they are found, changed and removed within a transaction.
import { randomBytes } from "node:crypto"
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite"
import type { RandomId } from "./drops.ts"
import { DropsError } from "./drops-error.ts"

/** A part of a deletion that needs little room. */
export type Removal = (db: DatabaseSync) => unknown

export const STIR_BYTES = 32

/** A change that every writing makes the same way. */
export function stir(db: DatabaseSync): void {
  run(db, "update meta set value = ? where name = 'stirred'", randomBytes(STIR_BYTES))
}

/** A message: its row, which makes it one, and then its pieces. */
export function messageOf(db: DatabaseSync, key: Uint8Array): Removal[] {
  if (!isMessage(db, key)) return []
  return [(now) => run(now, "delete from blob where id = ?", key), ...piecesOf(db, key)]
}

export function piecesOf(db: DatabaseSync, key: Uint8Array): Removal[] {
  return pieces(db.prepare("select id, i from chunk where id = ?").all(key))
}

export function strayPieces(db: DatabaseSync): Removal[] {
  return pieces(db.prepare("select id, i from chunk where id not in (select id from blob)").all())
}

function pieces(rows: readonly Readonly<Record<string, SQLOutputValue>>[]): Removal[] {
  return rows.map(({ id = null, i = null }) => (db) => {
    run(db, "delete from chunk where id = ? and i = ?", id, i)
  })
}

/** The removals due on this day. A message that nobody fetched is counted in the same step. */
export function dueOn(db: DatabaseSync, day: number): Removal[] {
  const messages = db.prepare("select id, unread from blob where purge_day <= ?").all(day)
  const replies = db.prepare("select tag, id from mailbox where purge_day <= ?").all(day)
  const notes = db.prepare("select id from note where purge_day <= ?").all(day)
  return [
    ...messages.flatMap(({ id = null, unread }): Removal[] => [
      (now) => {
        if (run(now, "delete from blob where id = ?", id) === 1 && unread === 1)
          run(now, "update meta set value = value + 1 where name = 'expired-unread'")
      },
      ...piecesOf(db, bytesOf(id)),
    ]),
    ...replies.map(({ tag = null, id = null }): Removal => (now) => {
      run(now, "delete from mailbox where tag = ? and id = ?", tag, id)
    }),
    ...notes.map(({ id = null }): Removal => (now) => {
      run(now, "delete from note where id = ?", id)
    }),
  ]
}

export function isMessage(db: DatabaseSync, key: Uint8Array): boolean {
  return db.prepare("select 1 from blob where id = ?").get(key) !== undefined
}

export function wasPosted(db: DatabaseSync, key: Uint8Array): boolean {
  return db.prepare("select 1 from posted where id = ?").get(key) !== undefined
}

export function meta(db: DatabaseSync, name: string): unknown {
  return one(db, "select value from meta where name = ?", name)["value"]
}

export function set(db: DatabaseSync, name: string, value: number): void {
  run(db, "update meta set value = ? where name = ?", value, name)
}

/** Gives a fact of the file its first value, once. */
export function put(db: DatabaseSync, name: string, value: SQLInputValue): void {
  run(db, "insert or ignore into meta values (?, ?)", name, value)
}

export function one(db: DatabaseSync, statement: string, ...values: SQLInputValue[]) {
  const row = db.prepare(statement).get(...values)
  if (row === undefined) throw new DropsError("damaged", "A row of the drop's file is missing")
  return row
}

export function run(db: DatabaseSync, statement: string, ...values: SQLInputValue[]): number {
  return Number(db.prepare(statement).run(...values).changes)
}

export function keyOf(id: RandomId): Uint8Array {
  if (!/^[0-9a-f]{32}$/.test(id)) throw refused()
  return Buffer.from(id, "hex")
}

export const idOf = (value: unknown): RandomId => Buffer.from(bytesOf(value)).toString("hex")

export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new DropsError("damaged", "A value of the drop's file is not what was written")
}

export function refused(): DropsError {
  return new DropsError("refused", "This does not follow from what the drop holds")
}
