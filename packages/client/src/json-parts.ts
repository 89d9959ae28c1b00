/** Below the 8 MiB a request may have, by more than brackets and commas need. */
const BYTES_MAX = 8_000_000

/**
 * The lines as JSON, in parts of at most as many lines, and about as many bytes, as one request may
 * have.
 */
export function jsonParts(lines: readonly object[], linesMax: number): string[][] {
  const encoder = new TextEncoder()
  const all: string[][] = []
  let part: string[] = []
  let bytes = 0
  for (const line of lines) {
    const text = JSON.stringify(line)
    const size = encoder.encode(text).length + 1
    if (part.length === linesMax || (part.length > 0 && bytes + size > BYTES_MAX)) {
      all.push(part)
      part = []
      bytes = 0
    }
    part.push(text)
    bytes += size
  }
  return part.length === 0 ? all : [...all, part]
}
