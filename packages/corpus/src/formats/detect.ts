import { isCompanion } from "../inputs/stealer-log.ts"
import { detectLineFormat, isLineFormat } from "./detect-lines.ts"
import { detectTabular } from "./detect-tabular.ts"
import { type Detected, type FormatHints, HEAD_BYTES_MAX } from "./detected.ts"
import { encodingOf, textHead } from "./encoding.ts"
import { eachLine } from "./lines.ts"

const LINES_MAX = 1000

/** What a member is, by its name and first bytes; null where it is nothing that can be imported. */
export function detectFormat(name: string, head: Buffer, hints: FormatHints): Detected | null {
  const encoding = encodingOf(head)
  const text = textHead(head, encoding)
  const named = hints.format
  if (named === undefined || !isLineFormat(named)) {
    const tabular = detectTabular(name, encoding === "utf-8" ? head : text, hints)
    if (tabular !== null) return { format: tabular, encoding }
    // Whoever named a format or columns means just that.
    if (named !== undefined || Object.keys(hints.map).length > 0) return null
    if (isCompanion(basename(name))) return null
  }
  const lines = completeLines(text, head.length >= HEAD_BYTES_MAX)
  const format = detectLineFormat(lines, named)
  return format === null ? null : { format, encoding }
}

/** Archives are made on systems with either kind of slash. */
function basename(name: string): string {
  return name.split(/[/\\]/).at(-1) ?? ""
}

/** The first lines of a head, without the last where the head's end cut it. */
function completeLines(text: Buffer, isCut: boolean): string[] {
  const lines: string[] = []
  eachLine(text, (_line, content) => void lines.push(content))
  return (isCut && lines.length > 1 ? lines.slice(0, -1) : lines).slice(0, LINES_MAX)
}
