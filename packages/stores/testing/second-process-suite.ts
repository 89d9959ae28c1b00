import assert from "node:assert/strict"
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import type { Command } from "./exposure-index-process-suite.ts"
import { sourceArguments, sourceEnvironment } from "./source-process.ts"

/** A directory of the test's own, gone with it. */
export async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "assay-index-"))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export interface SecondProcess {
  tell(command: Command): void
  ask(command: Command): Promise<unknown>
  /**
   * Resolves at the first line, past or future, for which `isIt` holds; rejects if the process ends
   * first.
   */
  said(isIt: (answer: unknown) => boolean): Promise<void>
  kill(): Promise<void>
}

export function programArguments(opener: URL, directory: string): string[] {
  const program = fileURLToPath(new URL("./exposure-index-process-suite.ts", import.meta.url))
  return [...sourceArguments, program, opener.href, directory]
}

/**
 * Starts a process that has the index open, and ends it with the test. Its files may grow to
 * `fileBlocks`.
 */
export async function secondProcess(
  t: TestContext,
  opener: URL,
  directory: string,
  fileBlocks?: number,
): Promise<SecondProcess> {
  const limit = fileBlocks === undefined ? "" : `trap '' XFSZ; ulimit -f ${fileBlocks};`
  // Compiled code could not be kept under such a limit.
  const limited = { PATH: process.env["PATH"], NODE_DISABLE_COMPILE_CACHE: "1" }
  const env = fileBlocks === undefined ? sourceEnvironment : limited
  const child = spawn(
    "/bin/sh",
    ["-c", `${limit} exec "$0" "$@"`, process.execPath, ...programArguments(opener, directory)],
    { stdio: ["pipe", "pipe", "inherit"], env },
  )
  const ended = once(child, "exit")
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL")
    await ended
  }
  t.after(kill)
  const lines = linesOf(child)
  const next = async (): Promise<unknown> => {
    const line = await lines.next()
    if (line.done === true) throw new Error("the second process ended early")
    return JSON.parse(line.value) as unknown
  }
  const tell = (command: Command): void => void child.stdin.write(`${JSON.stringify(command)}\n`)
  assert.equal(await next(), "open")
  return {
    tell,
    async ask(command) {
      tell(command)
      return next()
    },
    async said(isIt) {
      while (!isIt(await next()));
    },
    kill,
  }
}

function linesOf(child: ChildProcess): AsyncIterator<string, undefined> {
  assert.ok(child.stdout !== null)
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]()
}
