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
  const { phase, done, total, rows, rows_per_second: rate, seconds_left: left } = of
  const parts = [
    PHASES[phase],
    rows > 0 && `${count.format(rows)} rows`,
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
