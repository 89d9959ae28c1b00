/** How far a run has come. */
export interface Progress {
  readonly rows: number
  readonly bytesRead: number
  /** null where the length of the input is not known. */
  readonly bytesTotal: number | null
  readonly elapsedMs: number
}

/** Where progress is shown. */
export interface ProgressScreen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const BAR = 20
const REDRAW_MS = 200
const PLAIN_MS = 10_000
const ERASE = "\r\u001b[K"

/**
 * One line: rows and rows a second, and if the length is known, the share done and the time left.
 */
export function progressLine({ rows, bytesRead, bytesTotal, elapsedMs }: Progress): string {
  const perSecond = elapsedMs > 0 ? Math.round((rows * 1000) / elapsedMs) : 0
  const counted = `${rows.toLocaleString("en")} rows, ${perSecond.toLocaleString("en")} rows/s`
  if (bytesTotal === null || bytesTotal === 0) return counted
  const share = Math.min(1, bytesRead / bytesTotal)
  const percent = `${Math.floor(share * 100)} %`
  const leftMs = share > 0 ? (elapsedMs * (1 - share)) / share : null
  return `${counted}, ${percent}${leftMs === null ? "" : `, ${clock(leftMs)} to go`}`
}

export function progressBar(progress: Progress, columns: number): string {
  const { bytesRead, bytesTotal } = progress
  const line = progressLine(progress)
  const share = bytesTotal === null || bytesTotal === 0 ? null : Math.min(1, bytesRead / bytesTotal)
  const bar = share === null ? "" : `${barOf(share)} `
  return (bar + line).slice(0, Math.max(10, columns - 1))
}

/**
 * Shows progress until the returned function is called: redrawn on a terminal, a line now and then
 * anywhere else.
 */
export function showProgress(screen: ProgressScreen, progress: () => Progress): () => void {
  return showLines(screen, PLAIN_MS, (columns) =>
    columns === null ? progressLine(progress()) : progressBar(progress(), columns),
  )
}

/**
 * The same for any line; `columns` is null if lines are not redrawn. An empty line is not printed.
 */
export function showLines(
  screen: ProgressScreen,
  plainMs: number,
  line: (columns: number | null) => string,
): () => void {
  if (screen.isTTY !== true) {
    const timer = setInterval(() => {
      const text = line(null)
      if (text !== "") screen.write(`${text}\n`)
    }, plainMs)
    return () => clearInterval(timer)
  }
  const draw = (): void => void screen.write(`${ERASE}${line(screen.columns ?? 80)}`)
  const timer = setInterval(draw, REDRAW_MS)
  return () => {
    clearInterval(timer)
    screen.write(ERASE)
  }
}

/** A share of 1 as a bar of a fixed length. */
export function barOf(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR)
  return `[${"#".repeat(full)}${"-".repeat(BAR - full)}]`
}

export function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (value: number): string => String(value).padStart(2, "0")
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}
