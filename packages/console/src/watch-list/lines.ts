import type { WatchListLine } from "@assay/client"
import { asTyped, isNumber } from "../ui/identity.ts"
import { linesOf, textOf } from "../work/csv.ts"

/** A line that names somebody to watch, or why it cannot be sent. Lines are counted from 1. */
export type ReadLine =
  | { readonly line: number; readonly wanted: WatchListLine; readonly refused?: never }
  | { readonly line: number; readonly refused: string; readonly wanted?: never }

/** As many as are sent with a request, so that progress is seen. */
const AT_ONCE = 1_000

/** Blank lines are passed over. `deliver`: what holds for lines that do not say it themselves. */
export function readLine(text: string, line: number, deliver: boolean): ReadLine | null {
  const said = text.trim()
  if (said === "") return null
  const sealed = deliver ? { deliver_identity: true } : {}
  if (said.startsWith("{")) {
    const object = objectIn(said)
    if (object === null) return { line, refused: "It is no JSON object." }
    // The service checks the members, and says which does not fit.
    return { line, wanted: object.domain === undefined ? { ...sealed, ...object } : object }
  }
  const [, first = "", rest = ""] = /^([^,;\t]*)[,;\t]?(.*)$/.exec(said) ?? []
  const identity = asTyped(first)
  const ref = rest.trim()
  const name = ref === "" ? {} : { ref }
  if (isDomain(identity)) return { line, wanted: { domain: identity, ...name } }
  const named = { ...name, ...sealed }
  return {
    line,
    wanted: isNumber(identity)
      ? { phone_number: identity, ...named }
      : { email: identity, ...named },
  }
}

/** What could be neither an address nor a number. */
function isDomain(text: string): boolean {
  return /^[^\s@]+\.[^\s@.\d][^\s@.]*$/.test(text)
}

function objectIn(text: string): WatchListLine | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** The lines of a file or of what was typed, in portions; none is held longer than its portion. */
export async function* portions(source: Blob, deliver: boolean): AsyncGenerator<ReadLine[]> {
  let portion: ReadLine[] = []
  let line = 0
  for await (const text of linesOf(textOf(source))) {
    const read = readLine(text, ++line, deliver)
    if (read !== null) portion.push(read)
    if (portion.length === AT_ONCE) {
      yield portion
      portion = []
    }
  }
  if (portion.length > 0) yield portion
}
