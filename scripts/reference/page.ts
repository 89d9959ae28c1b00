import { markdownTable } from "../table.ts"

type Cell = string | number | boolean | null

/** A Markdown table; a cell may hold any text, and null is an empty one. */
export function table(
  header: readonly string[],
  rows: readonly (readonly (Cell | undefined)[])[],
): string {
  return markdownTable(
    header,
    rows.map((row) => row.map((cell) => inCell(cell ?? ""))),
  )
}

/** Text in code type, or nothing for an empty text. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``
}

/** A number as people write it: 1000 becomes 1,000. */
export function counted(value: number): string {
  return value.toLocaleString("en-US")
}

/** A share as a percentage, to three digits. */
export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`
}

/** Nats with their sign, since the sign shows which way a finding points. */
export function signed(nats: number): string {
  return nats > 0 ? `+${nats}` : String(nats)
}

export function lines(...parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`
}

function inCell(cell: Exclude<Cell, null>): string | number {
  if (typeof cell === "number") return cell
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ")
}
