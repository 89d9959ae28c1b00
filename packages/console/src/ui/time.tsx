import type { ReactElement } from "react"

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })
const time = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "medium",
  timeZone: "UTC",
})
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

const UNITS = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const

/** How long ago, or how far ahead, in words. */
export function relative(moment: string, nowMs = Date.now()): string {
  const seconds = Math.round((Date.parse(moment) - nowMs) / 1000)
  // Of a unit there are two or more: 25 hours say more than yesterday, 13 months than last year.
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= 2 * each) ?? ["second", 1]
  return ago.format(Math.trunc(seconds / size), unit)
}

/** A moment in UTC, in words. */
export const momentWords = (at: string): string => `${time.format(new Date(at))} UTC`

/** A moment in UTC, with how long ago it was on hover. */
export function Moment({ at }: { readonly at: string }): ReactElement {
  return (
    <time dateTime={at} title={relative(at)}>
      {momentWords(at)}
    </time>
  )
}

/** A day, as `YYYY-MM-DD`, in words. */
export const dayWords = (day: string): string => date.format(new Date(`${day}T00:00:00Z`))
