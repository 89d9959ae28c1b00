import { readFileSync } from "node:fs"
import { SourceMap, type SourceMapPayload } from "node:module"
import { fileURLToPath } from "node:url"

/** Not held on to: a map takes ten times its file, and stacks are rarely printed. */
const maps = new Map<string, WeakRef<SourceMap>>()

/**
 * A stack with places in the sources, for programs that were built; others have no maps, and their
 * stacks stay as they are. Only for stacks that are printed: Node reads the stack of every error
 * that ends a connection. Its own --enable-source-maps reads all maps at every start, a sixth of a
 * start's work and 50 MB.
 */
export function sourceLines(stack: string): string {
  return stack.replace(/(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g, placeOf)
}

function placeOf(built: string, file: string, line: string, column: string): string {
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (entry === undefined || !("originalSource" in entry)) return built
  const source = fileURLToPath(new URL(entry.originalSource, file))
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file)?.deref()
  if (known !== undefined) return known
  const map = readMap(file)
  if (map !== null) maps.set(file, new WeakRef(map))
  return map
}

function readMap(file: string): SourceMap | null {
  try {
    const text = readFileSync(fileURLToPath(`${file}.map`), "utf8")
    return new SourceMap(JSON.parse(text) as SourceMapPayload)
  } catch {
    // Without a map the place in the built file is still a place.
    return null
  }
}
