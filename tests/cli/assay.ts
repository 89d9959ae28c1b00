import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { storesOf } from "../http/shared-stores.ts"
import { bareEnvironment } from "../http/bare-environment.ts"
import { assayProgram } from "../../scripts/program.ts"
import { COMMAND_MS } from "./command-time.ts"

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
  // Of a service of several nodes, whose stores are not in its directory.
  const data = env["ASSAY_DATA"]
  const stores = data === undefined || "DATABASE_URL" in env ? {} : await storesOf(data)
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...assayProgram(), ...args],
      {
        env: { ...bareEnvironment(), HOME: process.env["HOME"] ?? "", ...stores, ...env },
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

/** Makes a key with `assay keys create`, which must succeed, and returns it. */
export async function createKey(
  { dataDirectory, env }: { readonly dataDirectory: string; readonly env?: Record<string, string> },
  ...args: readonly string[]
): Promise<string> {
  const made = await assay(["keys", "create", ...args], { ...env, ASSAY_DATA: dataDirectory })
  assert.equal(made.code, 0, made.err)
  return made.out.trim()
}
