import { FORMAT_NAMES, FORMATS } from "../../packages/corpus/src/formats/formats.ts"
import { code, lines, table } from "./page.ts"

export function formatsPage(): string {
  const formats = FORMAT_NAMES.flatMap((name) => FORMATS.filter((each) => each.name === name))
  return lines(
    "# Formats of imported files",
    "`assay corpus import` finds the format of each file by looking at its first bytes, and prints what it found. `--format` names one where that goes wrong. Where a format has columns, `--map` says what they mean. Files may be packed (zip, gzip, zstd), except for Parquet.",
    table(
      ["Format", "Such a file holds", "Takes `--map`"],
      formats.map(({ name, title, hasColumns }) => [code(name), title, hasColumns ? "yes" : ""]),
    ),
    "[Add a file format](../extending.md#add-a-file-format) says how another one is added.",
  )
}
