import type { ImportProgress } from "@assay/corpus/import-request"
import { barOf, clock, type ProgressScreen, showLines } from "./progress.ts"

const PLAIN_MS = 5_000

export interface ShownProgress extends ImportProgress {
  /** Since the phase began: what its speed and its end are reckoned from. */
  readonly elapsedMs: number
}

/**
 * One line: the phase, how much of it is done, rows, rows a second and the time the phase still
 * takes.
 */
export function importLine(progress: ShownProgress): string {
  const { phase, rows, rejected = 0, done, total, elapsedMs } = progress
  const parts: string[] = [phase]
  if (total !== null && total > 0) {
    parts.push(`${Math.floor(Math.min(1, done / total) * 100)} %`)
    if (phase === "examining" || phase === "reading")
      parts.push(`${megabytes(done)} of ${megabytes(total)} MB`)
  }
  // Before any row is read, the contents are only compared with what was imported before.
  if (phase !== "examining") parts.push(`${rows.toLocaleString("en")} rows`)
  if (phase === "reading" && rejected > 0) parts.push(`${rejected.toLocaleString("en")} rejected`)
  // Nobody knows how far sorting and measuring are; the elapsed time shows that they go on.
  if (phase === "sorting" || phase === "measuring") {
    parts.push(`for ${clock(elapsedMs)}`)
  } else if (phase !== "examining" && elapsedMs > 0) {
    parts.push(`${Math.round((rows * 1000) / elapsedMs).toLocaleString("en")} rows/s`)
  }
  if (total !== null && done > 0) {
    parts.push(`${clock((elapsedMs * Math.max(0, total - done)) / done)} to go`)
  }
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
  let since = now()
  const hide = showLines(screen, PLAIN_MS, (columns) => {
    if (newest === null) return ""
    const shown = { ...newest, elapsedMs: now() - since }
    return columns === null ? importLine(shown) : importBar(shown, columns)
  })
  return {
    update(progress) {
      if (progress.phase !== newest?.phase) since = now()
      newest = progress
    },
    hide,
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
