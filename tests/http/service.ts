// Runs the real service, as its own processes, for the tests of this folder.
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp } from "node:fs/promises"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { bareEnvironment } from "./bare-environment.ts"
import { behindBalancer } from "./behind-balancer.ts"
import { requestTo, type ServiceRequest } from "./request-to.ts"
import { killGroup, signalGroup, startGuard } from "./process-groups.ts"
import { severalNodes } from "./shared-stores.ts"
import { removeWithTombstones } from "./temporary.ts"
import { assayProgram } from "../../scripts/program.ts"

export interface ServiceOptions {
  /** Added to an otherwise bare environment: nothing of the caller's own reaches the service. */
  readonly env?: Readonly<Record<string, string>>
  /** Arguments of `serve`, such as `--workers 2`. */
  readonly args?: readonly string[]
  /** Kept afterwards. Without it: a new one, which goes when the service stops. */
  readonly dataDirectory?: string
  /**
   * With the anonymous drop, on a port of its own; without it, it is off, as most tests are not
   * about it.
   */
  readonly drop?: boolean
  /** How many files and connections each of its processes may have open. */
  readonly openFilesMax?: number
  /** Of Node, for all of its processes. */
  readonly nodeFlags?: readonly string[]
  /** What runs it, for Node; without it, this checkout. */
  readonly program?: readonly string[]
}

export interface Service extends AsyncDisposable {
  readonly baseUrl: string
  readonly port: number
  /** Where the drop listens; null where it has no port of its own. */
  readonly dropUrl: string | null
  /** The demo key; null in production. */
  readonly key: string | null
  readonly dataDirectory: string
  /** Of the primary, which is also the number of the process group it shares with its workers. */
  readonly pid: number
  /** All that was written to standard output so far. */
  stdout(): string
  /** All that was written to standard error so far, the log included. */
  stderr(): string
  /** Sends SIGTERM and resolves to the exit code, 128 + n for an end by signal n. */
  stop(): Promise<number>
  /**
   * Sends SIGKILL to the primary and all workers and resolves when they are gone. The data
   * directory stays: until stop() or the end of the file if it was made here.
   */
  kill(): Promise<void>
  request(path: string, init?: ServiceRequest): Promise<Response>
}

/** Three nodes and their engines have the same cores as one. */
const START_MS = severalNodes ? 240_000 : 60_000
/** Past the 20 s the service gives requests in flight by default. */
const STOP_MS = 40_000
const DEMO_KEY = /\bask_demo_[0-9A-Za-z]{36}(?=\s)/

/** An explained answer as it came, without the id of its decision. */
export async function explainedText(service: Service, email: string, key: string): Promise<string> {
  const response = await service.request("/api/v1/risk/score?explain=true", {
    key,
    json: { email },
    // A connection of its own, so that any worker may answer.
    headers: { connection: "close" },
  })
  assert.equal(response.status, 200)
  return (await response.text()).replace(/"decision_id":"[^"]+"/, '"decision_id":null')
}

/** What a service may leave behind: a process group that runs, a directory of its own. */
interface Remains {
  group: number | null
  directory: string | null
}
const remains = new Set<Remains>()

// A failed test does not reach its stop(). The hook is set while the module loads, so it belongs to
// the file and runs after its last test.
after(async () => {
  for (const { group, directory } of remains) {
    if (group !== null) await killGroup(group)
    if (directory !== null) removeWithTombstones(directory)
  }
  remains.clear()
})

// An uncaught exception ends the test process without its hooks.
process.on("exit", () => {
  for (const { group, directory } of remains) {
    if (group !== null) signalGroup(group)
    if (directory !== null) removeWithTombstones(directory)
  }
})

/**
 * Starts the service; resolves once it answers, rejects with its output if it ends or hangs before.
 * With ASSAY_TEST_NODES it is that many nodes behind a balancer, as which it is addressed.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  return severalNodes ? await behindBalancer(startNode, options) : await startNode(options)
}

/** Starts one process of the service, whatever ASSAY_TEST_NODES says. */
export async function startNode(options: ServiceOptions = {}): Promise<Service> {
  const {
    env = {},
    args = [],
    drop = false,
    nodeFlags = [],
    program: run = assayProgram(),
  } = options
  const temporary = options.dataDirectory === undefined
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), "assay-http-")))
  const { openFilesMax } = options
  const command = [process.execPath, ...nodeFlags, ...run, "serve", ...args] as const
  const limited = ["sh", "-c", `ulimit -n ${openFilesMax}; exec "$0" "$@"`, ...command] as const
  const [program, ...rest] = openFilesMax === undefined ? command : limited
  const child = spawn(program, rest, {
    // On a busy machine a loop may stall for seconds; only the tests of load shedding and of
    // processes that are silent are about that.
    env: {
      ...bareEnvironment(),
      PORT: "0",
      ASSAY_DATA: dataDirectory,
      ASSAY_SHED_DELAY_MS: "10000",
      ASSAY_SILENT_SECONDS: "120",
      ...(drop ? { DROP: "on", DROP_PORT: "0" } : { DROP: "off" }),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group, so that one signal reaches the workers too.
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw await failureOf(child)
  const own: Remains = { group: pid, directory: temporary ? dataDirectory : null }
  remains.add(own)
  const guard = startGuard(pid, own.directory)

  const output = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => void (output[name] += text))
  const printed = (): string => `stdout:\n${output.stdout}\nstderr:\n${output.stderr}`

  // `close` waits for the pipes too: the workers hold them, so nothing more is written after it.
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
  const kill = async (): Promise<void> => {
    if (own.group === null) return
    await killGroup(own.group)
    await ended
    own.group = null
    // From here on another process may get this number, and the guard must not hit it.
    guard.kill()
  }
  const removeDirectory = (): void => {
    if (own.directory !== null) removeWithTombstones(own.directory)
    remains.delete(own)
  }

  const demo = env["NODE_ENV"] !== "production"
  let ready: Ready
  try {
    ready = await readyOf(child, output, demo)
  } catch (error) {
    await kill()
    removeDirectory()
    throw new Error(`${(error as Error).message}\n${printed()}`, { cause: error })
  }

  const host = ready.address.includes(":") ? `[${ready.address}]` : ready.address
  const baseUrl = `http://${host}:${ready.port}`
  const stop = async (): Promise<number> => {
    child.kill("SIGTERM")
    const timely = new AbortController()
    const late = delay(STOP_MS, null, { signal: timely.signal }).catch(() => null)
    const code = await Promise.race([ended, late])
    timely.abort()
    await kill()
    removeDirectory()
    if (code === null)
      throw new Error(`The service did not stop within ${STOP_MS} ms\n${printed()}`)
    return code
  }
  return {
    baseUrl,
    port: ready.port,
    dropUrl: dropUrlOf(output.stderr, host),
    key: ready.key,
    dataDirectory,
    pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop,
    kill,
    async request(path, init) {
      try {
        return await requestTo(baseUrl, ready.key, path, init)
      } catch (error) {
        const { cause } = error as { cause?: { code?: string } }
        if (cause?.code !== "UND_ERR_SOCKET") throw error
        // The connection ended without an answer: mostly a process has, and its parent says so.
        await delay(200)
        throw new Error(`The service hung up\n${printed()}`, { cause: error })
      }
    },
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

/** The log says where the drop listens before it says that the service is ready. */
function dropUrlOf(log: string, host: string): string | null {
  const line = log.split("\n").find((text) => text.includes('"msg":"drop ready"'))
  const { port } = JSON.parse(line ?? "{}") as { port?: number }
  return port === undefined ? null : `http://${host}:${port}`
}

interface Ready {
  readonly port: number
  readonly address: string
  readonly key: string | null
}

/** What the log line "ready" says, and the demo key, which follows it on the other stream. */
async function readyOf(
  child: ChildProcess,
  output: { readonly stdout: string; readonly stderr: string },
  demo: boolean,
): Promise<Ready> {
  return await new Promise((resolve, reject) => {
    const look = (): void => {
      const line = output.stderr.split("\n").find((text) => text.includes('"msg":"ready"'))
      const key = DEMO_KEY.exec(output.stdout)?.[0] ?? null
      // The last line may have arrived in part; a whole one ends in a brace.
      if (line?.endsWith("}") !== true || (demo && key === null)) return
      settle()
      const { port, address } = JSON.parse(line) as { port: number; address: string }
      resolve({ port, address: address.split(" ")[0] ?? "127.0.0.1", key })
    }
    const fail = (message: string) => (): void => {
      settle()
      reject(new Error(message))
    }
    const ended = fail("The service ended before it was ready")
    const timer = setTimeout(fail(`The service was not ready within ${START_MS} ms`), START_MS)
    const settle = (): void => {
      clearTimeout(timer)
      child.off("close", ended)
      child.stdout?.off("data", look)
      child.stderr?.off("data", look)
    }
    child.on("close", ended)
    child.stdout?.on("data", look)
    child.stderr?.on("data", look)
  })
}

async function failureOf(child: ChildProcess): Promise<Error> {
  const [error] = (await once(child, "error")) as [Error]
  return error
}
