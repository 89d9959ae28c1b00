import { isDeepStrictEqual } from "node:util"
import type { Model } from "../score/models.ts"
import { byVersion } from "../score/models.ts"

/** What a change asks of the version: its first number, or its second. */
export type Level = "MAJOR" | "MINOR"

export interface ModelChange {
  /** JSON pointer of the member. */
  readonly path: string
  /** undefined where the member is only in the other document. */
  readonly before: unknown
  readonly after: unknown
  readonly level: Level
}

/**
 * Members that say what inputs, stages and the scale mean; all others weigh, tabulate or word it.
 */
const MEANINGS = ["/scale", "/stages", "/depth/classes", "/lineOfNumberType"]
/** Members that name the document and weigh nothing. */
const NAMES = ["/name", "/version"]

/** Every member that differs, in the order of the documents. */
export function modelChanges(before: Model, after: Model): ModelChange[] {
  return [...changesUnder("", before, after)].filter(({ path }) => !NAMES.includes(path))
}

/** The version that changes ask for, at least: MAJOR where one of them does. */
export function levelOf(changes: readonly ModelChange[]): Level | null {
  if (changes.length === 0) return null
  return changes.some(({ level }) => level === "MAJOR") ? "MAJOR" : "MINOR"
}

/** Whether the later version grew as much as its changes ask for. */
export function isVersionedRight(before: string, after: string, level: Level | null): boolean {
  if (level === null) return true
  return level === "MINOR"
    ? byVersion(before, after) < 0
    : Number.parseInt(after, 10) > Number.parseInt(before, 10)
}

function* changesUnder(path: string, before: unknown, after: unknown): Generator<ModelChange> {
  if (isDeepStrictEqual(before, after)) return
  if (!areAlike(before, after)) {
    yield { path, before, after, level: levelAt(path) }
    return
  }
  const [was, is] = [before as Record<string, unknown>, after as Record<string, unknown>]
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
    yield* changesUnder(`${path}/${name}`, was[name], is[name])
}

/** Objects, or arrays of one length: their members can be compared one by one. */
function areAlike(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return false
  if (!Array.isArray(a) && !Array.isArray(b)) return true
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length
}

function levelAt(path: string): Level {
  return MEANINGS.some((meaning) => path === meaning || path.startsWith(`${meaning}/`))
    ? "MAJOR"
    : "MINOR"
}
