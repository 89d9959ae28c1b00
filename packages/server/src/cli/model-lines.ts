/**
 * A document in lines for a person: a heading for each of its parts, and under it a line for each
 * group of values that belong together.
 */
export function documentLines(document: object): string[] {
  const lines: string[] = []
  for (const [name, value] of members(document)) {
    if (isScalar(value)) continue
    lines.push("", name)
    lines.push(...partLines(value).map((line) => `  ${line}`))
  }
  return lines
}

/** The lines of a part, or the one line of a value. */
export function partLines(value: unknown): string[] {
  if (isFlat(value)) return [inline(value)]
  const groups = [...groupsOf(value as object, "")]
  const width = Math.max(...groups.map(([path]) => path.length))
  return groups.map(([path, group]) => `${path.padEnd(width)}  ${inline(group)}`)
}

function* groupsOf(holder: object, path: string): Generator<[path: string, value: unknown]> {
  for (const [name, value] of members(holder)) {
    const own = path === "" ? name : `${path}.${name}`
    if (isFlat(value)) yield [own, value]
    else yield* groupsOf(value as object, own)
  }
}

/** Fits on one line: a value, a list, a table, or an object of values alone. */
function isFlat(value: unknown): boolean {
  return (
    isScalar(value) ||
    Array.isArray(value) ||
    members(value as object).every(([, v]) => isScalar(v) && typeof v !== "string")
  )
}

function inline(value: unknown): string {
  if (isScalar(value)) return value === null ? "none" : String(value)
  if (!Array.isArray(value))
    return members(value as object)
      .map(([name, member]) => `${name} ${inline(member)}`)
      .join(", ")
  // A row of a table is a number and the value from there on.
  return value
    .map((row: unknown) => (Array.isArray(row) ? row.map(inline).join(": ") : inline(row)))
    .join(", ")
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return typeof value !== "object" || value === null
}

function members(holder: object): [string, unknown][] {
  return Object.entries(holder as Record<string, unknown>)
}
