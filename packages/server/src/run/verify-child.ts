import { fork } from "node:child_process"

/** A reading of the index that runs in a process of its own. */
export interface RunningVerify {
  readonly ended: Promise<VerifyEnd>
  stop(): void
}

export interface VerifyEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/** How this program is started once more; `exec` is its main file. */
export interface VerifyProgram {
  readonly exec?: string | undefined
  readonly execArgv?: readonly string[] | undefined
}

/**
 * Reads the index through by the command of that name in a process of its own: LMDB trusts the
 * file, and a page that is damaged in the wrong place ends the process that follows it.
 */
export function startVerify(
  { exec, execArgv = [] }: VerifyProgram,
  options: readonly string[],
  stdio: "inherit" | "ignore",
  env?: Record<string, string>,
): RunningVerify {
  if (exec === undefined) throw new Error("It is not known which program this is")
  const child = fork(exec, ["corpus", "verify", "--here", ...options], {
    execArgv: [...execArgv],
    ...(env === undefined ? {} : { env }),
    stdio: ["ignore", stdio, stdio, "ipc"],
  })
  const { promise: ended, resolve, reject } = Promise.withResolvers<VerifyEnd>()
  child.once("error", reject)
  child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }))
  return { ended, stop: () => void child.kill("SIGKILL") }
}
