import { pino, type DestinationStream } from "pino"
import { sourceLines } from "./source-lines.ts"

/**
 * All that a log line can hold. The allow-list is what keeps identities out: a field that is not
 * named here cannot be written, whatever a caller passes, and none of these is ever filled from a
 * request's body, query or path.
 */
export interface LogFields {
  readonly requestId?: string
  readonly method?: string
  /** The route's pattern, never the URL. */
  readonly route?: string
  readonly status?: number
  readonly code?: string
  readonly ms?: number
  readonly keyId?: string
  readonly tenantId?: number
  readonly worker?: number
  readonly workers?: number
  readonly pid?: number
  readonly port?: number
  readonly address?: string
  readonly signal?: string
  readonly exitCode?: number
  readonly count?: number
  /** Of how many, where `count` says how far something has come. */
  readonly total?: number
  readonly secondsLeft?: number
  readonly store?: string
  /** As the operator named it. */
  readonly sink?: string
  /** Identifies settings without revealing any of them. */
  readonly configHash?: string
  /** Logged by class, code and stack frames: messages may quote what a person sent. */
  readonly error?: unknown
}

const FIELD_NAMES: ReadonlySet<string> = new Set<keyof LogFields>([
  "requestId",
  "method",
  "route",
  "status",
  "code",
  "ms",
  "keyId",
  "tenantId",
  "worker",
  "workers",
  "pid",
  "port",
  "address",
  "signal",
  "exitCode",
  "count",
  "total",
  "secondsLeft",
  "store",
  "sink",
  "configHash",
  "error",
])

export type LogLevel = "debug" | "info" | "warn" | "error"

/** `event` is a constant sentence; what varies goes into the fields. */
export type Log = Record<LogLevel, (event: string, fields?: LogFields) => void> & {
  isLevelEnabled(level: LogLevel): boolean
}

export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) =>
          Object.fromEntries(
            Object.entries(fields)
              .filter(([name]) => FIELD_NAMES.has(name))
              .map(([name, value]) => [name, name === "error" ? describeError(value) : value]),
          ),
      },
    },
    destination ?? pino.destination({ dest: 2, sync: true }),
  )
  const at =
    (severity: LogLevel) =>
    (event: string, fields: LogFields = {}): void =>
      logger[severity](fields, event)
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isLevelEnabled: (severity) => logger.isLevelEnabled(severity),
  }
}

/** A fault without its message: class, code, and where it happened, down its chain of causes. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code } = error as { code?: unknown }
  // The stack repeats the message, which may hold line breaks; only the lines after it are ours.
  const stack = error.stack ?? ""
  const frames = stack
    .slice(stack.indexOf(error.message) + error.message.length)
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => sourceLines(line.trim()))
  return {
    name: error.constructor.name,
    ...(typeof code === "string" ? { code } : {}),
    frames,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
