import { Client } from "pg"
import { auditKey } from "../audit-key.ts"
import { openPostgresRecords } from "../../src/postgres/records.ts"
import type { TestDatabase } from "../records-suite.ts"
import { execute, type TestServer } from "./test-server.ts"

export interface RecordsDatabases {
  /** One with nothing but empty tables. */
  next(): Promise<TestDatabase>
  end(): Promise<void>
}

interface Emptied {
  readonly url: string
  readonly client: Client
  /** What is in the only table that is not empty at first. */
  readonly meta: string
}

/**
 * Databases for tests one after the other: making one takes the server 110 ms, emptying the one
 * before some two. One that a test changed behind the port's back, or failed with, is not used
 * again.
 */
export function recordsDatabases(server: TestServer): RecordsDatabases {
  const made: Emptied[] = []
  const free: Emptied[] = []
  const emptied = async (): Promise<Emptied> => {
    const used = free.pop()
    if (used !== undefined) {
      await used.client.query(EMPTY)
      await used.client.query(REFILL, [used.meta])
      return used
    }
    const url = await server.createRecordsDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ all: string }>("select json_agg(meta) as all from meta")
    const database = { url, client, meta: JSON.stringify(rows[0]?.all) }
    made.push(database)
    return database
  }
  return {
    async next() {
      const database = await emptied()
      const { url } = database
      let isChanged = false
      return {
        open: (use) => openPostgresRecords({ url, poolMax: 4, auditKey, ...use }),
        execute: (statement) => {
          isChanged = true
          return execute(url, statement)
        },
        over() {
          if (!isChanged) free.push(database)
        },
      }
    },
    end: async () => void (await Promise.all(made.map(({ client }) => client.end()))),
  }
}

/**
 * Empties all tables but those that say which migrations ran, and counts from one again. As a
 * replica nothing triggers, so that the audit trail lets itself be emptied.
 */
const EMPTY = `
  do $$
  declare used regclass;
  begin
    set local session_replication_role = replica;
    for used in select oid from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not like 'assay_migration%' and pg_relation_size(oid) > 0
    loop
      execute 'delete from ' || used;
    end loop;
    perform setval(oid::regclass, 1, false) from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'S';
  end $$`

const REFILL = "insert into meta select * from json_populate_recordset(null::meta, $1)"
