import type { ImportState } from "@assay/client"
import { Progress } from "@mantine/core"
import type { ReactElement } from "react"
import { duration } from "./duration.ts"

const count = new Intl.NumberFormat()

const PHASES: Readonly<Record<ImportState["phase"], string>> = {
  starting: "Starting",
  examining: "Looking at the file",
  reading: "Reading",
  sorting: "Sorting",
  merging: "Merging",
  measuring: "Measuring circulation",
  compacting: "Compacting the index",
  counting: "Counting who was decided about",
}

/** How far an import is, in the service's own figures. */
export function ImportProgress({ of }: { readonly of: ImportState }): ReactElement {
  const { phase, done, total, rows, rejected, rows_per_second: rate, seconds_left: left } = of
  const parts = [
    PHASES[phase],
    rows > 0 && `${count.format(rows)} rows`,
    rejected > 0 && `${count.format(rejected)} rejected`,
    rate !== null && rate > 0 && `${count.format(rate)} a second`,
    left !== null && `${duration(left)} left`,
  ].filter((part) => part !== false)
  return (
    <>
      {total !== null && total > 0 && (
        <Progress
          value={Math.min(100, (100 * done) / total)}
          aria-label={`${PHASES[phase]}, import of ${of.source}`}
        />
      )}
      <span>{parts.join(", ")}</span>
    </>
  )
}

const tenths = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** Where the time of an import went; nothing of one whose times are not known. */
export function PhaseTimes({ of }: { readonly of: ImportState }): ReactElement | null {
  if (of.phases.length === 0) return null
  const times = of.phases.map(({ phase, seconds }) => {
    const took = seconds < 60 ? `${tenths.format(seconds)} s` : duration(seconds)
    return `${PHASES[phase].toLowerCase()} ${took}`
  })
  return <p className="soft">Time: {times.join(", ")}</p>
}
