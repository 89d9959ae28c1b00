/**
 * A Markdown table that also reads well on a terminal: columns are padded, those of numbers stand
 * right.
 */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [header, ...rows.map((row) => row.map(String))]
  const numeric = header.map((_, column) =>
    rows.every((row) => typeof row[column] === "number" || row[column] === ""),
  )
  const widths = header.map((_, column) =>
    Math.max(3, ...cells.map((row) => (row[column] ?? "").length)),
  )
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => padded(cell, widths[column] ?? 0, numeric[column])).join(" | ")} |`
  const rule = widths.map(
    (width, column) => `${"-".repeat(width - 1)}${numeric[column] ? ":" : "-"}`,
  )
  return [line(header), line(rule), ...cells.slice(1).map(line)].join("\n")
}

function padded(cell: string, width: number, right: boolean | undefined): string {
  return right ? cell.padStart(width) : cell.padEnd(width)
}
