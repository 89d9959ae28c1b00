import { execFile } from "node:child_process"
import { sealerCommand, type SealerProgram } from "./sealer.ts"

/** A busy machine may take its time; sealers start without it meanwhile. */
const LOAD_MS = 60_000

/**
 * The program with the compiled code of sealers kept in `directory`, which makes them start with less than half the work.
 * A process that sees no message loads all of it and writes what is not there yet; sealers are told of the place when it
 * has, so that they only read there.
 */
export function withKeptCode(
  { execPath, execArgv }: SealerProgram,
  directory: string | undefined,
): Required<SealerProgram> & { readonly loading: Promise<void> } {
  let kept: string | null = null
  const program = { execPath, execArgv, compiledCode: () => kept }
  if (directory === undefined) return { ...program, loading: Promise.resolve() }
  const [command, ...args] = sealerCommand(program)
  const options = { env: { NODE_COMPILE_CACHE: directory }, timeout: LOAD_MS }
  const loading = new Promise<void>((resolve) => {
    execFile(command, args, options, (error) => {
      if (error === null) kept = directory
      resolve()
    })
  })
  return { ...program, loading }
}
