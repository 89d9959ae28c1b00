import type { ReactElement } from "react"
import { relative } from "./relative.ts"

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })
const time = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "medium",
  timeZone: "UTC",
})
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
