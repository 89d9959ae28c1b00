import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assayProgram } from "../program.ts"

const READY_MS = 60_000
const STOP_MS = 60_000

/** Starts a real service on its own directory, calls it, and stops it. */
export async function askDemoServer<T>(ask: (base: string) => Promise<T>): Promise<T> {
  const data = mkdtempSync(join(tmpdir(), "assay-docs-"))
  const server = spawn(process.execPath, [...assayProgram(), "serve"], {
    cwd: data,
    // A machine that is busy with other checks must not make it turn the one question away.
    env: {
      PATH: process.env.PATH,
      ASSAY_DATA: data,
      PORT: "0",
      ASSAY_SHED_DELAY_MS: "10000",
      DROP: "off",
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const ended = once(server, "exit")
  try {
    return await ask(await addressOf(server))
  } finally {
    server.kill("SIGTERM")
    // Its workers end with it. Nothing else would end a check that waits for a service which does
    // not stop.
    const late = setTimeout(() => server.kill("SIGKILL"), STOP_MS)
    await ended
    clearTimeout(late)
    for (const path of [data, `${data}.tombstones`, `${data}.audit-heads`])
      rmSync(path, { recursive: true, force: true })
  }
}

/** The address a starting service prints; fails with its output if it ends or stays silent. */
function addressOf(server: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ""
    const fail = (reason: string): void => reject(new Error(`The service ${reason}:\n${said}`))
    const timer = setTimeout(() => fail("did not start in time"), READY_MS)
    server.once("exit", () => {
      clearTimeout(timer)
      fail("ended before it was ready")
    })
    const listen = (chunk: Buffer): void => {
      said += chunk.toString()
      const base = /API reference\s+(http:\/\/\S+)\/docs/.exec(said)?.[1]
      if (base === undefined) return
      clearTimeout(timer)
      resolve(base)
    }
    server.stdout?.on("data", listen)
    server.stderr?.on("data", listen)
  })
}
