const DURATION =
  /^P(?=.)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?$/

const SECONDS = [7 * 86_400, 86_400, 3_600, 60, 1] as const

/**
 * The length of an ISO 8601 duration in seconds; null for any other text. Years and months are not
 * read: they have no fixed length, and a window must not be taken for longer than it is.
 */
export function durationSeconds(text: string): number | null {
  const match = DURATION.exec(text)
  if (match === null) return null
  return SECONDS.reduce((sum, seconds, at) => sum + seconds * Number(match[at + 1] ?? 0), 0)
}
