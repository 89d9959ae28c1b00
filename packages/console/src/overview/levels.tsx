import type { ServiceLevels, ServicePeriod } from "@assay/client"
import { useElementSize } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { AxisBottom, AxisLeft } from "@visx/axis"
import { scaleBand, scaleLog } from "@visx/scale"
import type { ReactElement } from "react"
import { service } from "../ui/service.ts"
import { Answer } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment, momentWords } from "../ui/time.tsx"
import { Kept, percent } from "./kept.tsx"

const count = new Intl.NumberFormat()
const ms = (value: number | null): string =>
  value === null ? "too few scores" : `${count.format(value)} ms`

/** Availability and times of scores, as the service measured itself. */
export function Levels({ period }: { readonly period: ServicePeriod }): ReactElement {
  const levels = useQuery({
    queryKey: ["levels", period],
    queryFn: ({ signal }) => service.service.levels(period, { signal }),
  })
  return (
    <Answer of={levels}>
      {(measured) => (
        <>
          <Measured levels={measured} />
          <div className="grid-2">
            <Figures levels={measured} />
            <Chart levels={measured} />
          </div>
          <details>
            <summary>The same as a table</summary>
            <PointTable levels={measured} />
          </details>
        </>
      )}
    </Answer>
  )
}

function Measured({ levels }: { readonly levels: ServiceLevels }): ReactElement {
  const { measured_from: since, counts, availability } = levels
  if (since === null) return <p className="soft">Nothing was measured in this time.</p>
  return (
    <p className="soft">
      Measured by the service itself for all tenants together, in the hours since{" "}
      <Moment at={since} />. Refusals are answers; time in which it was stopped is not counted.
      {availability.down_seconds > 0 &&
        ` It was down for ${count.format(availability.down_seconds)} seconds.`}
      {counts !== undefined &&
        ` Of ${count.format(counts.answered + counts.failed)} requests ${counts.failed === 0 ? "none" : count.format(counts.failed)} failed; ${count.format(counts.scored)} asked for a single score.`}
    </p>
  )
}

function Figures({ levels }: { readonly levels: ServiceLevels }): ReactElement {
  const { availability, latency } = levels
  const { objective_ms: aim, requests_min: least } = latency
  return (
    <dl className="facts">
      <dt>Available</dt>
      <dd>
        {availability.share === null ? (
          "not measured"
        ) : (
          <Kept isKept={availability.share >= availability.objective}>
            {percent.format(availability.share)}
          </Kept>
        )}{" "}
        <span className="soft">aim {percent.format(availability.objective)}</span>
      </dd>
      {latency.p50_ms === null ? (
        <>
          <dt>Time of a score</dt>
          <dd>Not enough requests: it takes {least} single scores</dd>
        </>
      ) : (
        <>
          <dt>Half of scores within</dt>
          <dd>{ms(latency.p50_ms)}</dd>
          <dt>{percent.format(0.95)} within</dt>
          <dd>{ms(latency.p95_ms)}</dd>
          <dt>{percent.format(0.99)} within</dt>
          <dd>
            <Kept isKept={(latency.p99_ms ?? 0) <= aim}>{ms(latency.p99_ms)}</Kept>{" "}
            <span className="soft">aim {aim} ms</span>
          </dd>
          <dt>Within {aim} ms</dt>
          <dd>{percent.format(latency.within_objective ?? 0)}</dd>
        </>
      )}
    </dl>
  )
}

const [HEIGHT, LEFT, BOTTOM, STRIP, TOP] = [190, 66, 26, 14, 34]

/** 95 % of scores within, by parts of the period, and above it whether the service was there. */
function Chart({ levels }: { readonly levels: ServiceLevels }): ReactElement {
  const { ref, width: measured } = useElementSize()
  const { points, availability, latency, period } = levels
  const { objective } = availability
  const width = Math.max(measured, 240)
  const x = scaleBand({
    domain: points.map(({ from }) => from),
    range: [LEFT, width],
    padding: 0.2,
  })
  const known = points.flatMap(({ p95_ms: p95 }) => (p95 === null ? [] : [p95]))
  const aim = latency.objective_ms
  const y = scaleLog({
    domain: [Math.min(1, ...known), Math.max(1000, ...known)],
    range: [HEIGHT - BOTTOM, TOP],
  })
  const labelled = points.filter((_, n) => n % Math.ceil(points.length / 4) === 0)
  const label = (from: string): string =>
    period === "24h" ? from.slice(11, 16) : from.slice(5, 10)
  return (
    <div ref={ref} className="chart">
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={sentence(levels)}
      >
        {points.map(({ from, availability: share }) => {
          const isKept = share !== null && share >= objective
          const height = share === null ? 2 : isKept ? STRIP : STRIP / 2
          return (
            <rect
              key={from}
              x={x(from)}
              y={STRIP - height}
              width={x.bandwidth()}
              height={height}
              fill={share === null ? "var(--line)" : isKept ? "var(--low)" : "var(--critical)"}
            >
              <title>{`${momentWords(from)}: ${share === null ? "not measured" : `available ${percent.format(share)}`}`}</title>
            </rect>
          )
        })}
        {points.map(({ from, p95_ms: p95 }) =>
          p95 === null ? null : (
            <rect
              key={from}
              x={x(from)}
              y={y(p95)}
              width={x.bandwidth()}
              height={HEIGHT - BOTTOM - y(p95)}
              fill={p95 <= aim ? "var(--accent)" : "var(--critical)"}
            >
              <title>{`${momentWords(from)}: ${percent.format(0.95)} within ${ms(p95)}`}</title>
            </rect>
          ),
        )}
        {known.length === 0 && (
          <text
            x={(LEFT + width) / 2}
            y={(TOP + HEIGHT - BOTTOM) / 2 + 20}
            textAnchor="middle"
            fontSize={12}
            fill="var(--soft)"
          >
            Too few scores to measure their time
          </text>
        )}
        <line
          x1={LEFT}
          x2={width}
          y1={y(aim)}
          y2={y(aim)}
          stroke="var(--critical)"
          strokeDasharray="5 4"
        />
        <text x={width} y={y(aim) - 4} textAnchor="end" fontSize={11} fill="var(--soft)">
          aim {aim} ms
        </text>
        <text x={0} y={HEIGHT - 6} fontSize={11} fill="var(--soft)">
          UTC
        </text>
        <text x={LEFT - 8} y={STRIP - 2} textAnchor="end" fontSize={11} fill="var(--soft)">
          available
        </text>
        <AxisBottom
          top={HEIGHT - BOTTOM}
          scale={x}
          tickValues={labelled.map(({ from }) => from)}
          tickFormat={label}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle" }}
        />
        <AxisLeft
          left={LEFT}
          scale={y}
          tickValues={[1, 10, 100, 1000].filter((tick) => tick >= (y.domain()[0] ?? 1))}
          tickFormat={(tick) => `${count.format(Number(tick))} ms`}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "end", dx: -4, dy: 4 }}
        />
      </svg>
    </div>
  )
}

/** What the picture shows, for those who do not see it. */
function sentence({ points, availability, latency }: ServiceLevels): string {
  const missed = points.filter(
    ({ availability: share }) => share !== null && share < availability.objective,
  ).length
  const slow = points.filter(({ p95_ms: p95 }) => (p95 ?? 0) > latency.objective_ms).length
  const measured = points.filter(({ availability: share }) => share !== null).length
  return `${measured} of ${points.length} parts of the period were measured. In ${missed} of them the service was available less than aimed, in ${slow} the slowest ${percent.format(0.05)} of scores took longer than ${latency.objective_ms} ms.`
}

function PointTable({ levels }: { readonly levels: ServiceLevels }): ReactElement {
  return (
    <Table
      label="Service by time"
      columns={["From (UTC)", "#Available", `#${percent.format(0.95)} of scores within`]}
    >
      {levels.points.map(({ from, availability: share, p95_ms: p95 }) => (
        <tr key={from}>
          <td>
            <Moment at={from} />
          </td>
          <td className="number">{share === null ? "not measured" : percent.format(share)}</td>
          <td className="number">{ms(p95)}</td>
        </tr>
      ))}
    </Table>
  )
}
