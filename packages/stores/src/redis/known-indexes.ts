import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Type } from "typebox"
import { Value } from "typebox/value"
import { IndexUnavailable } from "../exposure-index.ts"

const Known = Type.Object({ marks: Type.Record(Type.String(), Type.String()) })

/**
 * The marks of the indexes that a data directory was served from, by their names. A cluster that
 * lost everything looks like one that is new; this tells the two apart, because an empty index
 * would call everyone clean.
 */
export function knownIndexes(file: string): {
  markOf(name: string): string | undefined
  remember(name: string, mark: string): void
} {
  const read = (): Record<string, string> => {
    if (!existsSync(file)) return {}
    try {
      const stored: unknown = JSON.parse(readFileSync(file, "utf8"))
      if (Value.Check(Known, stored)) return stored.marks
    } catch (cause) {
      throw new IndexUnavailable(`${file} cannot be read`, { cause })
    }
    throw new IndexUnavailable(`${file} is damaged`)
  }
  return {
    markOf: (name) => read()[name],
    remember(name, mark) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const text = `${JSON.stringify({ marks: { ...read(), [name]: mark } })}\n`
      writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
      renameSync(`${file}.new`, file)
    },
  }
}
