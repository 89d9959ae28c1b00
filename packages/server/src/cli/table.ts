/** Lines of a table with columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [head, ...rows]
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}
