import { reached, textOf } from "./reached-by-test.ts"

/** Enough that loading no longer counts, and few enough that no core waits for the last group. */
const FILES_A_GROUP = 24

/**
 * A module that waits, in a line of its own or in a block, cannot be required. One that is missed
 * here fails in its group, and Node says why.
 */
const WAITS = /^(?=\S).*\bawait\b|^if \([^]*?\bawait\b[^]*?^\}/m
/**
 * What a file changes in its process would be there for the next, as its memory would be counted.
 */
const PROCESS =
  /\bprocess\.(?!env\b|execPath|platform|pid\b)|\bprocess\.env\S* = |\bglobal(?:This)?\b|\bmock\b/
const HOOK = /\b(?:after|before)(?:Each)?\(/

/**
 * Puts test files that may share a process into groups of neighbours, which load the same modules;
 * every other file is alone. Half of what a short file takes is Node, the runner and modules that
 * its neighbour loads too.
 */
export function fileGroups(files: readonly string[], atMost = FILES_A_GROUP): string[][] {
  const sharing = files.filter(mayShare)
  const groups = Array.from({ length: Math.ceil(sharing.length / atMost) }, (_, n) =>
    sharing.slice(n * atMost, (n + 1) * atMost),
  )
  const alone = files.filter((file) => !sharing.includes(file)).map((file) => [file])
  return [...groups, ...alone]
}

/** Whether a test file leaves its process as it was, by its text and that of its helpers. */
function mayShare(file: string): boolean {
  const [own = "", ...helpers] = [...reached(file)].map(textOf)
  return (
    !WAITS.test(own) &&
    !PROCESS.test(own) &&
    // Loaded once for all, a helper's hooks would be those of the first file that imports it.
    helpers.every((text) => !WAITS.test(text) && !HOOK.test(text))
  )
}
