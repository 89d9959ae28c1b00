import { blockText } from "./encoding.ts"
import type { BlockParser, RowSink } from "./parsed-row.ts"
import { LINE_BYTES_MAX } from "./line-blocks.ts"

const BYTE_ORDER_MARK = 0xfeff
const CR = 13
const SPACE = 0x20

/** A parser of a format in which each line is a row. Every line is passed to `read` or rejected. */
export function lineParser(read: (line: number, text: string, sink: RowSink) => void): BlockParser {
  return {
    parse: (block, sink) =>
      eachLine(block, (line, text) => {
        if (isBlank(text)) sink.reject(line, "blank")
        else if (isTooLong(text)) sink.reject(line, "too-long")
        else read(line, text, sink)
      }),
  }
}

/**
 * Calls with each line of a block and its number from 1, without its end. Returns how many there
 * are.
 */
export function eachLine(block: Buffer, take: (line: number, text: string) => void): number {
  const text = blockText(block)
  // Test the bytes, not the string: V8 hoists the string test into the loop and flattens the whole
  // string (seen in a profile).
  const mayHaveCr = block.includes(CR)
  let line = 0
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at)
    const stop = end === -1 ? text.length : end
    // A mark stands at the head of a file, and where files were joined also before other lines.
    const start = text.charCodeAt(at) === BYTE_ORDER_MARK ? at + 1 : at
    const content = text.slice(start, stop)
    at = stop + 1
    if (mayHaveCr && content.includes("\r")) {
      for (const part of linesEndedByCr(content)) take(++line, part)
    } else {
      take(++line, content)
    }
  }
  return line
}

/** More than the limit in UTF-8, which a line that was cut for its length is too. */
export function isTooLong(text: string): boolean {
  return text.length * 3 > LINE_BYTES_MAX && Buffer.byteLength(text) > LINE_BYTES_MAX
}

export function isBlank(text: string): boolean {
  // The first character answers for nearly every line.
  return !(text.charCodeAt(0) > SPACE) && text.trim() === ""
}

function linesEndedByCr(content: string): string[] {
  return (content.endsWith("\r") ? content.slice(0, -1) : content).split("\r")
}
