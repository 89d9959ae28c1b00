import { InputError } from "../inputs/member.ts"

/** What stopped an import. The words are ours and contain nothing of the input. */
export type FailureCode =
  | "input"
  /** The input cannot be read while it arrives. */
  | "needs-seeking"
  | "parser"
  | "reader"
  | "sorter"
  | "disk-full"
  | "memory"
  /** The sorter's input ended early: the reader knows why. */
  | "cut-short"
  /** The sorter stopped taking the reader's rows; its own failure has the reason. */
  | "sorter-gone"
  /** No node that answers has a segment that figures are measured over. */
  | "segments-away"
  /** Another import runs on the same data directory. */
  | "another-runs"
  /** The import was stopped by its signal. The served data is unchanged. */
  | "stopped"
  /** The batch is live and stays so; the same request again does what is left to do. */
  | "unfinished"

export class ImportFailure extends Error {
  override readonly name = "ImportFailure"
  readonly code: FailureCode
  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Returns our own failures unchanged. Of any other error it keeps the code but not the message,
 * which may quote a row. `what` names the work that failed.
 */
export function readerFailure(error: unknown, what = "The input could not be read"): ImportFailure {
  if (error instanceof ImportFailure) return error
  if (error instanceof InputError) {
    const code = error.code === "needs-seeking" ? error.code : "input"
    return new ImportFailure(code, error.message)
  }
  const code = systemCode(error)
  if (code === "EPIPE" || code === "ECONNRESET") {
    return new ImportFailure("sorter-gone", "The sorter is gone")
  }
  if (isDiskFull(error)) return diskFull()
  return new ImportFailure("reader", `${what} (${code ?? errorName(error)})`)
}

/**
 * The sorter sees keyed rows only, but its messages name files and hold no cause a person could act
 * on.
 */
export function sorterFailure(error: unknown): ImportFailure {
  if (error instanceof ImportFailure) return error
  const message = error instanceof Error ? error.message : ""
  if (DISK_FULL.test(message)) return diskFull()
  if (/out of memory|allocation failed/i.test(message)) {
    return new ImportFailure("memory", "The sorter has too little memory; raise --memory")
  }
  const kind = /^[A-Z][A-Za-z ]{0,40} Error(?=:)/.exec(message)?.[0]
  return new ImportFailure("sorter", `The sorter failed (${kind ?? errorName(error)})`)
}

/** What broke where no row is in sight, in a few words for the inside of a sentence. */
export function shortReason(error: unknown): string {
  if (isDiskFull(error)) return "the disk is full"
  const code = systemCode(error)
  if (code !== null && !code.includes("_")) return code
  return error instanceof Error ? error.message : "unknown"
}

/**
 * Whether the disk is full, as reported by the system, SQLite or LMDB, also inside a wrapping
 * error.
 */
export function isDiskFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, errcode } = each as { code?: unknown; errcode?: unknown }
    if (DISK_FULL_CODES.has(code) || errcode === SQLITE_FULL || DISK_FULL.test(each.message)) {
      return true
    }
  }
  return false
}

const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])
/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13

/**
 * The name of a kind of error the language itself has; a name of any other could be made of a row.
 */
export function errorName(error: unknown): string {
  const known = [TypeError, RangeError, SyntaxError, ReferenceError, URIError]
  return known.find((kind) => error instanceof kind)?.name ?? "Error"
}

// The last is DuckDB's own bound: it spills at most what the disk had free when it began.
const DISK_FULL = /no space left|ENOSPC|quota exceeded|file too large|max_temp_directory_size/i

function diskFull(): ImportFailure {
  return new ImportFailure("disk-full", "The disk is full")
}

function systemCode(error: unknown): string | null {
  const { code } = error as { code?: unknown }
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : null
}
