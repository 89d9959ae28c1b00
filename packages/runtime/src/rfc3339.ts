const TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/**
 * The moment an RFC 3339 time names, in epoch milliseconds; null for any other text, impossible
 * dates included.
 */
export function parseTime(text: string): number | null {
  const [matched, year, month, day] = TIME.exec(text) ?? []
  if (matched === undefined) return null
  // Date.parse reads the 30th of February as the 2nd of March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > lastDay)
    return null
  const ms = Date.parse(matched.toUpperCase())
  return Number.isNaN(ms) ? null : ms
}
