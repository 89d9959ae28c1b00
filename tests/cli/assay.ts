import { execFile } from "node:child_process"
import cluster from "node:cluster"
import { userInfo } from "node:os"
import { Writable } from "node:stream"
import { storesOf } from "../http/shared-stores.ts"
import { bareEnvironment } from "../http/bare-environment.ts"
import { exitCodeOf } from "../../packages/server/src/base/exit-code.ts"
import type { Terminal } from "../../packages/server/src/cli/terminal.ts"
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

interface Place {
  readonly dataDirectory: string
  readonly env?: Readonly<Record<string, string>>
}

/** Makes a key as `assay keys create` does, and returns it. */
export async function createKey(place: Place, ...args: readonly string[]): Promise<string> {
  return await printedHere(["keys", "create", ...args], place)
}

/** Invites a person as `assay people invite` does, and returns the link. */
export async function invite(
  { dataDirectory, port, env }: Place & { readonly port: number },
  ...args: readonly string[]
): Promise<string> {
  const place = { dataDirectory, env: { ...env, PORT: String(port) } }
  return await printedHere(["people", "invite", ...args], place)
}

/**
 * Runs a command in this process, for tests that are not about the command: one of its own takes
 * ten times as long. Returns what it prints; rejects where the command would fail.
 */
async function printedHere(
  args: readonly string[],
  { dataDirectory, env }: Place,
): Promise<string> {
  const printed: string[] = []
  const place = { ...env, ASSAY_DATA: dataDirectory }
  await runHere(args, place, { print: (line) => void printed.push(line), note: () => undefined })
  return printed.join("\n")
}

/**
 * Runs a command in this process and gives what `assay` would, for the further calls of a command
 * that another test of the file starts as a process. Not for wrong usage, of which the process is
 * told, nor for a command that reads or writes its streams itself.
 */
export async function assayHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  let [out, err] = ["", ""]
  try {
    const print = (line: string): void => void (out += `${line}\n`)
    const note = (line: string): void => void (err += `${line}\n`)
    await runHere(args, env, { print, note })
    return { code: 0, out, err }
  } catch (error) {
    const stderr = new Writable({
      write: (piece: Buffer, _encoding, done) => {
        err += piece.toString()
        done()
      },
    })
    return { code: exitCodeOf(error, stderr), out, err }
  }
}

async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  output: Pick<Terminal, "print" | "note">,
): Promise<void> {
  const { assayCommand } = await import("../../packages/server/src/cli/assay-command.ts")
  const data = env["ASSAY_DATA"]
  const stores = data === undefined || "DATABASE_URL" in env ? {} : await storesOf(data)
  const terminal: Terminal = {
    env: { ...stores, ...env },
    user: `shell:${userInfo().username}`,
    now: Date.now,
    ...output,
  }
  // As the program does: nobody else may read what it makes.
  const umask = process.umask(0o077)
  try {
    await assayCommand({ terminal, process, cluster }).parseAsync([...args], { from: "user" })
  } finally {
    process.umask(umask)
  }
}
