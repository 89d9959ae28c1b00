import type { ImportProgress } from "@assay/corpus/import-request"
import { TimeLeft } from "@assay/corpus/time-left"
import { barOf, clock, type ProgressScreen, showLines } from "./progress.ts"

const PLAIN_MS = 5_000

export interface ShownProgress extends ImportProgress {
  /** Since the phase began: what its speed is reckoned from. */
  readonly elapsedMs: number
  /** Of the phase; null where it is not known. */
  readonly leftMs: number | null
}

/**
 * One line: the phase, how much of it is done, rows, rows a second and the time the phase still
 * takes.
 */
export function importLine(progress: ShownProgress): string {
  const { phase, rows, rejected = 0, done, total, elapsedMs, leftMs } = progress
  const parts: string[] = [phase]
  if (total !== null && total > 0) {
    parts.push(`${Math.floor(Math.min(1, done / total) * 100)} %`)
    // While examining, the beginnings of files are read twice.
    if (phase === "reading") parts.push(`${megabytes(done)} of ${megabytes(total)} MB`)
  }
  // Before any row is read, the contents are only compared with what was imported before.
  if (phase !== "examining") parts.push(`${rows.toLocaleString("en")} rows`)
  if (phase === "reading" && rejected > 0) parts.push(`${rejected.toLocaleString("en")} rejected`)
  // Here rows are not what is gone through.
  if (phase === "sorting" || phase === "measuring") {
    parts.push(`for ${clock(elapsedMs)}`)
  } else if (phase !== "examining" && elapsedMs > 0) {
    parts.push(`${Math.round((rows * 1000) / elapsedMs).toLocaleString("en")} rows/s`)
  }
  if (leftMs !== null) parts.push(`${clock(leftMs)} to go`)
  return parts.join(", ")
}

export function importBar(progress: ShownProgress, columns: number): string {
  const { done, total } = progress
  const bar = total === null || total === 0 ? "" : `${barOf(done / total)} `
  return `${bar}${importLine(progress)}`.slice(0, Math.max(10, columns - 1))
}

/** Shows an import's progress until `hide` is called. */
export function showImportProgress(
  screen: ProgressScreen,
  now: () => number,
): { update(progress: ImportProgress): void; hide(): void } {
  let newest: ImportProgress | null = null
  const left = new TimeLeft<ImportProgress["phase"]>(now)
  const hide = showLines(screen, PLAIN_MS, (columns) => {
    if (newest === null) return ""
    const shown = { ...newest, elapsedMs: left.elapsedMs, leftMs: left.leftMs() }
    return columns === null ? importLine(shown) : importBar(shown, columns)
  })
  return {
    update(progress) {
      left.note(progress)
      newest = progress
    },
    hide,
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
