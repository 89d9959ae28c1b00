import { execFile } from "node:child_process"
import { join } from "node:path"
import { bareEnvironment } from "../http/bare-environment.ts"
import { COMMAND_MS } from "./command-time.ts"

const main = join(import.meta.dirname, "../../packages/server/src/main.ts")

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the `assay` command as a person would, with nothing of this process's own settings. */
export async function assay(
  args: readonly string[],
  env: Record<string, string>,
  input = "",
): Promise<Outcome> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--conditions=source", main, ...args],
      {
        env: { ...bareEnvironment(), HOME: process.env["HOME"] ?? "", ...env },
        timeout: COMMAND_MS,
        killSignal: "SIGKILL",
      },
      (error, out, err) =>
        resolve({
          code: error === null ? 0 : typeof error.code === "number" ? error.code : -1,
          out,
          err,
        }),
    )
    child.stdin?.on("error", () => undefined).end(input)
  })
}
