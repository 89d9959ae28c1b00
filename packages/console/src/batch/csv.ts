/** The first cell of each line of a CSV, without quotes; the head is left out where it names itself. */
export function firstCells(text: string): string[] {
  const cells = text
    .split(/\r\n|\r|\n/)
    .map((line) => {
      const quoted = /^\s*"((?:[^"]|"")*)"/.exec(line)?.[1]
      return (quoted?.replaceAll('""', '"') ?? line.split(/[,;\t]/)[0] ?? "").trim()
    })
    .filter((cell) => cell !== "")
  return /^(e-?mail|phone|number|address|identity)/i.test(cells[0] ?? "") && !isIdentity(cells[0])
    ? cells.slice(1)
    : cells
}

const isIdentity = (cell = ""): boolean => cell.includes("@") || cell.startsWith("+")

/**
 * A line of CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe, which
 * it shows as text.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`
}

function cellOf(cell: string | number): string {
  if (typeof cell === "number") return String(cell)
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
