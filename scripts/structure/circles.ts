import type { Import } from "./imports.ts"

/** The groups of which every member reaches every other, by Tarjan's algorithm. */
export function circles(imports: readonly Import[]): string[][] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) next.set(from, (next.get(from) ?? new Set()).add(to))
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (node: string): void => {
    const number = numbers.size
    numbers.set(node, number)
    lowest.set(node, number)
    stack.push(node)
    for (const other of next.get(node) ?? []) {
      if (!numbers.has(other)) visit(other)
      if (stack.includes(other))
        lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(other) ?? 0))
    }
    if (lowest.get(node) !== number) return
    const group = stack.splice(stack.indexOf(node))
    if (group.length > 1) found.push(group.sort())
  }
  for (const node of next.keys()) if (!numbers.has(node)) visit(node)
  return found
}
