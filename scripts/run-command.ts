import { spawn } from "node:child_process"
import { root, toolEnvironment } from "./repository.ts"

/** Runs a command in the repository with our streams. Gives its exit code; 1 when a signal ended it. */
export function runCommand(
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", env: toolEnvironment(env) })
    child.on("error", reject)
    child.on("exit", (code) => resolve(code ?? 1))
  })
}
