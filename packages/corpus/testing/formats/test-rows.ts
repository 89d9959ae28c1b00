import { DuckDBInstance } from "@duckdb/node-api"
import { sqlText } from "../../src/segments/segment.ts"

/** Writes rows of a format to the byte, so that a test decides where each of them ends. */
export interface RowWriter {
  readonly format: string
  /** What these rows have that those of another writer of the same format do not. */
  readonly title: string
  /** The text before the first row and after the last. */
  readonly head: string
  readonly tail: string
  /** A row of exactly `bytes` bytes, its end included. */
  row(n: number, bytes: number): string
}

/** The shortest row that every writer can write. */
export const ROW_BYTES_MIN = 96

export function addressOf(n: number): string {
  return `user${n}@mail.example`
}

/** A row whose password is padded until the row has the requested length. */
function padded(bytes: number, of: (password: string) => string): string {
  const room = bytes - Buffer.byteLength(of(""))
  if (room < 1) throw new RangeError(`No row of ${bytes} bytes`)
  return of("p".repeat(room))
}

function writer(
  format: string,
  title: string,
  of: (address: string, password: string) => string,
  around: { readonly head?: string; readonly tail?: string } = {},
): RowWriter {
  return {
    format,
    title,
    head: around.head ?? "",
    tail: around.tail ?? "",
    row: (n, bytes) => padded(bytes, (password) => of(addressOf(n), password)),
  }
}

/** Every format that is written as text. */
export const ROW_WRITERS: readonly RowWriter[] = [
  writer("combolist", "lines that end in LF", (address, password) => `${address}:${password}\n`),
  writer(
    "combolist",
    "lines that end in CR LF",
    (address, password) => `${address}:${password}\r\n`,
  ),
  writer("password-first", "lines", (address, password) => `${password}:${address}\n`),
  writer(
    "url-login-password",
    "lines",
    (address, password) => `https://shop.example/in:${address}:${password}\n`,
  ),
  writer(
    "labelled-lines",
    "lines",
    (address, password) => `URL: https://shop.example/ | USER: ${address} | PASS: ${password}\n`,
  ),
  writer(
    "stealer-blocks",
    "records",
    (address, password) =>
      `URL: https://shop.example/\nUsername: ${address}\nPassword: ${password}\n=====\n`,
  ),
  writer("csv", "plain cells", (address, password) => `1,${address},${password}\n`, {
    head: "id,email,password\n",
  }),
  writer(
    "csv",
    "quoted cells over two lines",
    (address, password) => `"a, ""b""\nc",${address},"${password}"\n`,
    { head: "id,email,password\n" },
  ),
  writer(
    "ndjson",
    "lines",
    (address, password) => `{"email":"${address}","password":"${password}"}\n`,
  ),
  writer(
    "json",
    "an array",
    (address, password) => `{"email":"${address}","password":"${password}"},\n`,
    { head: "[\n", tail: '{"email":"last@mail.example","password":"p"}]\n' },
  ),
]

/** The addresses in a file of `rows` rows of a writer, in order. */
export function addressesIn({ tail }: RowWriter, rows: number): string[] {
  const addresses = Array.from({ length: rows }, (_, n) => addressOf(n))
  return tail === "" ? addresses : [...addresses, "last@mail.example"]
}

/** Writes a Parquet file of `rows` rows. */
export async function writeParquetRows(path: string, rows: number): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    await connection.run(
      `COPY (SELECT 'user' || i || '@mail.example' AS email, 'p' || i AS password FROM range(${rows}) t(i))
       TO ${sqlText(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    )
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
