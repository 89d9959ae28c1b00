import type { ErrorBudget } from "@assay/client"
import { useElementSize } from "@mantine/hooks"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { AxisBottom, AxisLeft } from "@visx/axis"
import { scaleBand, scaleLinear } from "@visx/scale"
import type { ReactElement } from "react"
import { duration } from "../ui/duration.ts"
import { service } from "../ui/service.ts"
import { Answer } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { dayWords, Moment, momentWords } from "../ui/time.tsx"
import { Kept, percent } from "./kept.tsx"

const count = new Intl.NumberFormat()
const rate = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const monthName = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
})

export function useBudget(enabled: boolean): UseQueryResult<ErrorBudget> {
  return useQuery({
    queryKey: ["budget"],
    queryFn: ({ signal }) => service.service.budget(undefined, { signal }),
    enabled,
  })
}

/** How many requests of this month failed and may fail, and when the service did not run. */
export function Budget(): ReactElement {
  const budget = useBudget(true)
  return (
    <Answer of={budget}>
      {(found) => (
        <>
          <p className="soft">
            Requests of all tenants in {monthName.format(new Date(found.from))}, counted by the
            service itself
            {found.measured_from !== null && (
              <>
                {" "}
                since <Moment at={found.measured_from} />
              </>
            )}
            . A refusal is a good answer; a fault of the service is not. What was asked while it did
            not run, nobody can know: that time stands apart.
          </p>
          <div className="grid-2">
            <Figures budget={found} />
            <Chart budget={found} />
          </div>
          <details>
            <summary>Days and kinds of requests as tables</summary>
            <KindTable budget={found} />
            <DayTable budget={found} />
          </details>
          {found.worst_minutes.length > 0 && <WorstMinutes budget={found} />}
        </>
      )}
    </Answer>
  )
}

function Figures({ budget: found }: { readonly budget: ErrorBudget }): ReactElement {
  const { requests, availability, objective, budget, running, burn } = found
  return (
    <dl className="facts">
      <dt>Good requests</dt>
      <dd>
        {availability === null ? (
          "no requests yet"
        ) : (
          <Kept isKept={availability >= objective}>{percent.format(availability)}</Kept>
        )}{" "}
        <span className="soft">aim {percent.format(objective)}</span>
      </dd>
      <dt>Failed</dt>
      <dd>
        {count.format(requests.failed)} of {count.format(requests.total)};{" "}
        <span className="soft">{count.format(budget.allowed)} may</span>
      </dd>
      <dt>Budget left</dt>
      <dd>
        {budget.left === null ? (
          "no requests yet"
        ) : (
          <Kept isKept={budget.left >= 0}>{percent.format(budget.left)}</Kept>
        )}
      </dd>
      {burn.map(({ hours, rate: spending }) => (
        <Burn key={hours} hours={hours} spending={spending} />
      ))}
      <dt>Running</dt>
      <dd>
        {running.share === null ? (
          "not measured"
        ) : (
          <Kept isKept={running.share >= objective}>{percent.format(running.share)}</Kept>
        )}{" "}
        <span className="soft">of the time</span>
      </dd>
      <dt>Not running</dt>
      <dd>
        {duration(running.not_running_seconds)}
        {running.down_seconds > 0 && (
          <span className="soft">
            ; {duration(running.down_seconds)} of it without having been stopped
          </span>
        )}
      </dd>
    </dl>
  )
}

function Burn(props: { readonly hours: number; readonly spending: number | null }): ReactElement {
  const { hours, spending } = props
  return (
    <>
      <dt>Spent in {hours === 1 ? "the last hour" : `${hours} hours`}</dt>
      <dd>
        {spending === null ? (
          "no requests"
        ) : (
          <>
            {rate.format(spending)} times <span className="soft">what lasts a month</span>
          </>
        )}
      </dd>
    </>
  )
}

const [HEIGHT, LEFT, BOTTOM, STRIP, TOP] = [190, 66, 26, 14, 34]
/** At least this much below the aim is drawn, so that a day without a failure is seen as one. */
const LEAST = 0.998

/**
 * Bars that hang down from all requests by as much as failed, by day, and above them whether the
 * service ran.
 */
function Chart({ budget }: { readonly budget: ErrorBudget }): ReactElement {
  const { ref, width: measured } = useElementSize()
  const { days, objective, requests } = budget
  const width = Math.max(measured, 240)
  const x = scaleBand({
    domain: days.map(({ day }) => day),
    range: [LEFT, width],
    padding: 0.2,
  })
  const known = days.flatMap(({ availability }) => (availability === null ? [] : [availability]))
  const y = scaleLinear({
    domain: [Math.min(LEAST, ...known), 1],
    range: [HEIGHT - BOTTOM, TOP],
  })
  const labelled = days.filter((_, n) => n % Math.ceil(days.length / 4) === 0)
  return (
    <div ref={ref} className="chart">
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={sentence(budget)}
      >
        {days.map((day) => {
          const isMeasured = day.running_seconds + day.not_running_seconds > 0
          const ranAll = day.not_running_seconds === 0
          const height = !isMeasured ? 2 : ranAll ? STRIP : STRIP / 2
          return (
            <rect
              key={day.day}
              x={x(day.day)}
              y={STRIP - height}
              width={x.bandwidth()}
              height={height}
              fill={!isMeasured ? "var(--line)" : ranAll ? "var(--low)" : "var(--critical)"}
            >
              <title>{`${dayWords(day.day)}, UTC: ${ranWords(day)}`}</title>
            </rect>
          )
        })}
        <line x1={LEFT} x2={width} y1={y(1)} y2={y(1)} stroke="var(--line)" />
        {days.map((day) =>
          day.availability === null ? null : (
            <rect
              key={day.day}
              x={x(day.day)}
              y={y(1)}
              width={x.bandwidth()}
              height={Math.max(2, y(day.availability) - y(1))}
              fill={
                day.failed === 0
                  ? "var(--low)"
                  : day.availability >= objective
                    ? "var(--accent)"
                    : "var(--critical)"
              }
            >
              <title>{`${dayWords(day.day)}, UTC: ${count.format(day.failed)} of ${count.format(day.total)} failed, ${percent.format(day.availability)} good`}</title>
            </rect>
          ),
        )}
        {requests.failed === 0 && (
          <text
            x={(LEFT + width) / 2}
            y={(TOP + HEIGHT - BOTTOM) / 2 + 20}
            textAnchor="middle"
            fontSize={12}
            fill="var(--soft)"
          >
            {requests.total === 0 ? "No requests yet" : "No request failed"}
          </text>
        )}
        <line
          x1={LEFT}
          x2={width}
          y1={y(objective)}
          y2={y(objective)}
          stroke="var(--critical)"
          strokeDasharray="5 4"
        />
        <text x={0} y={HEIGHT - 6} fontSize={11} fill="var(--soft)">
          UTC
        </text>
        <text x={LEFT - 8} y={STRIP - 2} textAnchor="end" fontSize={11} fill="var(--soft)">
          running
        </text>
        <AxisBottom
          top={HEIGHT - BOTTOM}
          scale={x}
          tickValues={labelled.map(({ day }) => day)}
          tickFormat={(day) => day.slice(5)}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle" }}
        />
        <AxisLeft
          left={LEFT}
          scale={y}
          tickValues={ticks(y, objective)}
          tickFormat={(tick) => percent.format(Number(tick))}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "end", dx: -4, dy: 4 }}
        />
      </svg>
    </div>
  )
}

/** All of it, the aim and the lowest day, as far as their words do not lie over each other. */
function ticks(y: (share: number) => number, objective: number): number[] {
  const room = 14
  const [top, aim] = [y(1), y(objective)]
  return [
    1,
    ...(aim - top >= room ? [objective] : []),
    ...[0.998, 0.99, 0.9, 0.5, 0].filter(
      (share) => y(share) <= HEIGHT - BOTTOM && y(share) - Math.max(aim, top) >= room,
    ),
  ].filter((share, n, all) => n < 2 || y(share) - y(all[n - 1] ?? 1) >= room)
}

function ranWords(day: ErrorBudget["days"][number]): string {
  if (day.running_seconds + day.not_running_seconds === 0) return "not measured"
  return day.not_running_seconds === 0
    ? "ran all the time"
    : `not running for ${duration(day.not_running_seconds)}`
}

/** What the picture shows, for those who do not see it. */
function sentence({ days, objective }: ErrorBudget): string {
  const asked = days.filter(({ total }) => total > 0).length
  const missed = days.filter(
    ({ availability }) => availability !== null && availability < objective,
  ).length
  const still = days.filter(({ not_running_seconds: seconds }) => seconds > 0).length
  return `On ${asked} of ${days.length} days of the month there were requests. On ${missed} of them fewer were good than aimed at; on ${still} days the service did not run all the time.`
}

const KINDS = {
  score: "Scores and batches",
  api: "Other operations",
  pages: "Pages and their files",
} as const

function KindTable({ budget }: { readonly budget: ErrorBudget }): ReactElement {
  return (
    <Table label="Requests by kind" columns={["Kind", "#Requests", "#Failed", "#Good"]}>
      {budget.kinds.map(({ kind, total, failed, availability }) => (
        <tr key={kind}>
          <td>{KINDS[kind]}</td>
          <td className="number">{count.format(total)}</td>
          <td className="number">{count.format(failed)}</td>
          <td className="number">{availability === null ? "-" : percent.format(availability)}</td>
        </tr>
      ))}
    </Table>
  )
}

function DayTable({ budget }: { readonly budget: ErrorBudget }): ReactElement {
  return (
    <Table
      label="Requests by day"
      columns={["Day (UTC)", "#Requests", "#Failed", "#Good", "The service"]}
    >
      {budget.days.map((day) => (
        <tr key={day.day}>
          <td>{dayWords(day.day)}</td>
          <td className="number">{count.format(day.total)}</td>
          <td className="number">{count.format(day.failed)}</td>
          <td className="number">
            {day.availability === null ? "-" : percent.format(day.availability)}
          </td>
          <td>{ranWords(day)}</td>
        </tr>
      ))}
    </Table>
  )
}

function WorstMinutes({ budget }: { readonly budget: ErrorBudget }): ReactElement {
  return (
    <details>
      <summary>The worst minutes of the last 24 hours</summary>
      <Table label="Worst minutes" columns={["Minute", "#Requests", "#Failed"]}>
        {budget.worst_minutes.map(({ at, total, failed }) => (
          <tr key={at}>
            <td>{momentWords(at)}</td>
            <td className="number">{count.format(total)}</td>
            <td className="number">{count.format(failed)}</td>
          </tr>
        ))}
      </Table>
    </details>
  )
}
