import { dirname, resolve } from "node:path"
import ts from "typescript"

/**
 * The files a source names by `new URL("./file", import.meta.url)` and so expects beside it at run
 * time.
 */
export function runtimeFiles(file: ts.SourceFile): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const name = urlBesideModule(node)
    if (name !== null) found.push(resolve(dirname(file.fileName), name))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function urlBesideModule(node: ts.Node): string | null {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return null
  const [name, base] = node.arguments ?? []
  const isBeside =
    node.expression.text === "URL" &&
    base?.getText() === "import.meta.url" &&
    name !== undefined &&
    ts.isStringLiteralLike(name)
  return isBeside ? name.text : null
}
