/** Longer lines are cut: what is asked for stands at their beginning. */
const LINE_MAX = 65_536

/**
 * The first cell of each line of a CSV, without quotes; the head is left out where it names itself.
 * The file comes in pieces, and no more of it is held than a piece and a line.
 */
export async function* firstCells(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const line of linesOf(pieces)) {
    const cell = cellIn(line)
    if (cell === "") continue
    if (!isFirst || !isHead(cell)) yield cell
    isFirst = false
  }
}

/** The lines of a text that comes in pieces. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ""
  for await (const piece of pieces) {
    // A return at the end of a piece may be the first half of a line break.
    const lines = (rest + piece).split(/\r\n|\r(?!$)|\n/)
    rest = (lines.pop() ?? "").slice(0, LINE_MAX)
    yield* lines
  }
  yield rest
}

function cellIn(line: string): string {
  const quoted = /^\s*"((?:[^"]|"")*)"/.exec(line)?.[1]
  return (quoted?.replaceAll('""', '"') ?? line.split(/[,;\t]/)[0] ?? "").trim()
}

const isHead = (cell: string): boolean =>
  /^(e-?mail|phone|number|address|identity)/i.test(cell) && !cell.includes("@")

/** The text of a file, in pieces. */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const reader = (file.stream() as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      yield decoder.decode(value, { stream: !done })
      if (done) return
    }
  } finally {
    // Whoever stops early reads no more of the file.
    await reader.cancel()
  }
}

/**
 * A line of CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe,
 * which it shows as text.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`
}

function cellOf(cell: string | number): string {
  if (typeof cell === "number") return String(cell)
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
