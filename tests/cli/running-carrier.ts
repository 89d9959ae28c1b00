import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { after } from "node:test"
import { bareEnvironment } from "../http/bare-environment.ts"
import { COMMAND_MS } from "./command-time.ts"
import { assayProgram } from "../../scripts/program.ts"

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill("SIGKILL")
})

export interface RunningCarrier {
  readonly url: string
  /** All that it printed. */
  readonly out: string
  stop(): Promise<number | null>
}

/** Starts `assay dev carrier` and resolves when all is printed. */
export async function devCarrier(...args: string[]): Promise<RunningCarrier> {
  const child = spawn(process.execPath, [...assayProgram(), "dev", "carrier", ...args], {
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
    timeout: COMMAND_MS,
    killSignal: "SIGKILL",
  })
  running.add(child)
  const exited = once(child, "exit")
  let out = ""
  for await (const part of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    out += part as string
    if (out.endsWith("Stop with Ctrl-C.\n")) break
  }
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0]
  if (url === undefined) throw new Error(`The carrier did not start: ${out}`)
  return {
    url,
    out,
    async stop() {
      child.kill("SIGINT")
      const [code] = (await exited) as [number | null]
      running.delete(child)
      return code
    },
  }
}
