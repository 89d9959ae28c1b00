import { dirname, join } from "node:path"
import { reached, textOf } from "./reached-by-test.ts"

/**
 * A module that waits, in a line of its own or in a block, cannot be required. One that is missed
 * here fails in its group, and Node says why.
 */
const WAITS = /^(?=\S).*\bawait\b|^if \(.*\{\n(?:(?: .*)?\n)*? .*\bawait\b/m
/**
 * What a file changes in its process would be there for the next, as its memory would be counted.
 */
const PROCESS =
  /\bprocess\.(?!env\b|execPath|platform|pid\b)|\bprocess\.env\S* = |\bglobal(?:This)?\b|\bmock\b|\bsetPriority\b/
/**
 * Loaded once for all, a helper's hooks are those of all files: it may clean up after the last, and
 * may not prepare for each.
 */
const OF_ONE_FILE = /^(?:before(?:Each)?|afterEach|test|suite)\(/m

/**
 * Puts test files that may share a process into groups of neighbours, which load the same modules;
 * every other file is alone. Half of what a short file takes is Node, the runner and modules that
 * its neighbour loads too.
 */
export function fileGroups(files: readonly string[], atMost: number): string[][] {
  const sharing = atMost === 1 ? [] : files.filter(mayShare)
  const groups = Array.from({ length: Math.ceil(sharing.length / atMost) }, (_, n) =>
    sharing.slice(n * atMost, (n + 1) * atMost),
  )
  const alone = files.filter((file) => !sharing.includes(file)).map((file) => [file])
  // Each where its first file stood.
  return [...groups, ...alone].sort(([a = ""], [b = ""]) => files.indexOf(a) - files.indexOf(b))
}

/** Whether a test file leaves its process as it was, by its text and that of its helpers. */
function mayShare(file: string): boolean {
  const [own = "", ...helpers] = [...reached(file), ...programs(file)].map(textOf)
  return (
    !WAITS.test(own) &&
    !PROCESS.test(own) &&
    helpers.every((text) => !WAITS.test(text) && !OF_ONE_FILE.test(text))
  )
}

/** What a test file imports of programs that are also run, where a module may wait. */
function programs(file: string): string[] {
  const named = textOf(file).matchAll(/from "((?:\.\.\/)+(?:scripts|bench|eval)\/[^"]+)"/g)
  return [...named].map(([, name = ""]) => join(dirname(file), name))
}
