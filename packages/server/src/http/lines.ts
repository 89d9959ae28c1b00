/** A line without its end; null for one that is too long, whose bytes are not kept. */
export type Line = Buffer | null

export interface LineSplitter {
  /** The lines that end in this piece. Blank ones are left out. */
  push(piece: Buffer): Line[]
  /** The last line, where it has no end. */
  end(): Line[]
}

const LF = 0x0a
const CR = 0x0d
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Cuts bytes that arrive in pieces into lines, by LF or CRLF, and holds at most one line. It cuts
 * bytes, not text: LF is part of no longer character in UTF-8, so a character may arrive in two
 * pieces.
 */
export function openLineSplitter(lineMax: number): LineSplitter {
  let held = NOTHING
  let tooLong = false
  let first = true

  function finished(line: Buffer): Line[] {
    const bytes = withoutEnd(first ? withoutByteOrderMark(line) : line)
    first = false
    if (bytes.length > lineMax) return [null]
    return isBlank(bytes) ? [] : [bytes]
  }

  return {
    push(piece) {
      const lines: Line[] = []
      let from = 0
      for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, from)) {
        const part = piece.subarray(from, at)
        from = at + 1
        if (part.length === 0 && held.length === 0 && !tooLong && !first) continue
        if (!tooLong) lines.push(...finished(held.length === 0 ? part : joined(held, part)))
        held = NOTHING
        tooLong = false
      }
      const rest = piece.subarray(from)
      if (tooLong || rest.length === 0) return lines
      held = joined(held, rest)
      // One more than the most, because the last byte may be the CR of the line's end; three for a
      // byte order mark.
      if (held.length > lineMax + 1 + (first ? 3 : 0)) {
        lines.push(null)
        tooLong = true
        first = false
        held = NOTHING
      }
      return lines
    },
    end() {
      const lines = tooLong || held.length === 0 ? [] : finished(held)
      held = NOTHING
      return lines
    },
  }
}

/** A copy, so that a piece of 64 KiB is not kept for its last few bytes. */
function joined(held: Buffer, part: Buffer): Buffer {
  return Buffer.concat([held, part])
}

function withoutEnd(line: Buffer): Buffer {
  return line.at(-1) === CR ? line.subarray(0, -1) : line
}

function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === CR)
}
