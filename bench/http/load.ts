import { execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { BenchError } from "../bench.ts"

/** Where requests go and what they carry. */
export interface LoadTarget {
  readonly port: number
  readonly path: string
  readonly apiKey: string
  /** A file with a JSON body on each line. */
  readonly bodiesFile: string
}

export interface LoadFigures {
  /** All that were answered, and the time that took. Latencies may leave out the beginning. */
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** Answers other than 2xx. */
  readonly refused: number
  /** Connections that failed and requests without an answer. */
  readonly broken: number
}

export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
}

const run = promisify(execFile)

/** The path of wrk, or null where it is not installed. */
export function findWrk(env: Readonly<Record<string, string | undefined>>): string | null {
  const candidates = (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "wrk"))
  return candidates.find(isExecutable) ?? null
}

/**
 * As many requests as the target answers. Uses wrk where it is installed: on a small machine it
 * leaves the server more CPU than any generator in JavaScript. Elsewhere the paced generator runs
 * without a pace.
 */
export async function peakLoad(
  wrk: string | null,
  target: LoadTarget,
  options: LoadOptions,
): Promise<LoadFigures> {
  if (wrk === null) return await generatedLoad(target, options, null)
  const { stdout } = await run(wrk, [
    "--threads=1",
    `--connections=${options.connections}`,
    `--duration=${options.seconds}s`,
    "--timeout=10s",
    `--script=${join(import.meta.dirname, "wrk.lua")}`,
    "--header=Content-Type: application/json",
    `--header=Authorization: Bearer ${target.apiKey}`,
    `http://127.0.0.1:${target.port}${target.path}`,
    "--",
    target.bodiesFile,
  ])
  const figures = /^FIGURES (.*)$/m.exec(stdout)?.[1]
  if (figures === undefined) throw new BenchError(`wrk printed no figures:\n${stdout}`)
  return answered(target, JSON.parse(figures) as LoadFigures)
}

/**
 * Requests at a fixed rate, each timed from when it was due, so that a server that stalls cannot
 * hide the requests it kept from being sent. wrk has no such mode, and autocannon sends a second's
 * requests all at its beginning.
 */
export async function pacedLoad(
  target: LoadTarget,
  options: LoadOptions,
  ratePerSecond: number,
): Promise<LoadFigures> {
  return await generatedLoad(target, options, ratePerSecond)
}

/** The settings of the generator, passed as JSON in its only argument. */
export interface GeneratorOrder extends LoadTarget, LoadOptions {
  /** null: each connection sends its next request when the last is answered. */
  readonly ratePerSecond: number | null
}

async function generatedLoad(
  target: LoadTarget,
  options: LoadOptions,
  ratePerSecond: number | null,
): Promise<LoadFigures> {
  const order: GeneratorOrder = { ...target, ...options, ratePerSecond }
  const program = join(import.meta.dirname, "generator.ts")
  const { stdout } = await run(process.execPath, [program, JSON.stringify(order)])
  return answered(target, JSON.parse(stdout) as LoadFigures)
}

/** Returns the figures; throws unless every request was answered with a success. */
function answered({ path }: LoadTarget, figures: LoadFigures): LoadFigures {
  const { requests, refused, broken } = figures
  if (refused > 0 || broken > 0 || requests === 0) {
    throw new BenchError(
      `${path}: of ${requests} requests ${refused} were answered with a failure, ${broken} not at all`,
    )
  }
  return figures
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
