import type { Import } from "./imports.ts"

/** The imports between what files belong to: folders, or packages. */
export function between(imports: readonly Import[], of: (file: string) => string): Import[] {
  return imports
    .map(({ from, to }) => ({ from: of(from), to: of(to) }))
    .filter(({ from, to }) => from !== to)
}

/** Of imports between folders, those that stay in their package. */
export function insidePackages(folders: readonly Import[]): Import[] {
  return folders.filter(({ from, to }) => packageOf(from) === packageOf(to))
}

/** The package of a file or folder. */
export function packageOf(path: string): string {
  return path.split("/")[1] ?? ""
}

/** The longest way down. Only where nothing goes round: it would not end. */
export function longestChain(imports: readonly Import[]): string[] {
  const below = Map.groupBy(imports, ({ from }) => from)
  const known = new Map<string, string[]>()
  const longest = (node: string): string[] => {
    const before = known.get(node)
    if (before !== undefined) return before
    const ways = (below.get(node) ?? []).map(({ to }) => longest(to))
    const way = [node, ...(ways.sort((a, b) => b.length - a.length)[0] ?? [])]
    known.set(node, way)
    return way
  }
  const [way = []] = [...below.keys()].map(longest).sort((a, b) => b.length - a.length)
  return way
}
