import { type ColumnHints, type ColumnMap, FIELDS, kindOfColumns } from "./columns.ts"
import { CERTAIN, type FileFormat } from "./format.ts"
import { describeColumns, jsonLineParser, type NamedColumns } from "./ndjson.ts"

/** The lines of a Parquet file use the names of the fields, whatever the file calls its columns. */
const LINE_COLUMNS: ColumnMap = Object.fromEntries(FIELDS.map((name, at) => [name, { at, name }]))

/** Parquet, turned into lines of JSON before it is parsed. */
export const parquet: FileFormat<NamedColumns> = {
  name: "parquet",
  title: "Parquet",
  hasColumns: true,
  seeks: true,
  detect({ bytes, map }) {
    if (bytes.toString("latin1", 0, 4) !== "PAR1") return null
    return { found: { name: "parquet", columns: askedColumns(map) }, fitting: CERTAIN }
  },
  async *blocks(member, { columns }, _encoding, blockBytes) {
    // Only here: the engine that reads such files has no place in the threads that parse lines.
    const { parquetBlocks } = await import("./parquet-file.ts")
    yield* parquetBlocks(member, columns, blockBytes)
  },
  parser: () => jsonLineParser(LINE_COLUMNS),
  describe: describeColumns,
  impliedKind: ({ columns }) => kindOfColumns(columns),
}

/** `--map` as a format carries it until the file's own columns are known. */
function askedColumns(hints: ColumnHints): ColumnMap {
  return Object.fromEntries(Object.entries(hints).map(([field, name]) => [field, { at: -1, name }]))
}
