// Loaded first by programs that were built (scripts/build-programs.ts), so that stacks name lines
// of the sources. A map is read when a stack that needs it is read: with Node's own
// --enable-source-maps every start reads all of them, a sixth of its work and 50 MB.
import { readFileSync } from "node:fs"
import { SourceMap, type SourceMapPayload } from "node:module"
import { fileURLToPath } from "node:url"

/** A call prints itself; the types of Node do not say so. */
interface Call extends NodeJS.CallSite {
  toString(): string
}

const maps = new Map<string, SourceMap | null>()

Error.prepareStackTrace = (error, sites) =>
  [headOf(error), ...sites.map((site) => `    at ${mapped(site)}`)].join("\n")

/** As Node prints it; an error may have a `toString` that throws. */
function headOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return "<error>"
  }
}

/** A call as Node prints it, with its place in the sources if a map knows it. */
function mapped(site: Call): string {
  const text = site.toString()
  const file = site.getFileName()
  const line = site.getLineNumber()
  const column = site.getColumnNumber()
  if (typeof file !== "string" || line === null || column === null) return text
  const entry = mapOf(file)?.findEntry(line - 1, column - 1)
  if (entry === undefined || !("originalSource" in entry)) return text
  const source = fileURLToPath(new URL(entry.originalSource, file))
  const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  return text.replace(`${file}:${line}:${column}`, place)
}

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file)
  if (map === undefined) {
    map = readMap(file)
    maps.set(file, map)
  }
  return map
}

function readMap(file: string): SourceMap | null {
  if (!file.startsWith("file:")) return null
  try {
    const text = readFileSync(fileURLToPath(`${file}.map`), "utf8")
    return new SourceMap(JSON.parse(text) as SourceMapPayload)
  } catch {
    // Without a map the place in the built file is still a place.
    return null
  }
}
