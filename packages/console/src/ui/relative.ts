const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

const DAY = 86_400
const UNITS = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", DAY],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const

/** How long ago, or how far ahead, in words. */
export function relative(moment: string, nowMs = Date.now()): string {
  const seconds = Math.round((Date.parse(moment) - nowMs) / 1000)
  // Of a unit there are two or more: 25 hours say more than yesterday, 13 months than last year.
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= 2 * each) ?? ["second", 1]
  // Full days, but the nearest hour: so the reasons of a score tell its ages, on the same page.
  const whole = size < DAY ? Math.round : Math.trunc
  return ago.format(whole(seconds / size), unit)
}
