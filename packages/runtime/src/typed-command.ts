/**
 * A command of ours as messages print it: it works as typed in a checkout and where the package is
 * installed.
 */
export function typedCommand(args: string): string {
  return `\`npx assay ${args}\``
}
