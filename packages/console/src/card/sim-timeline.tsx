import { useElementSize } from "@mantine/hooks"
import { scaleLog } from "@visx/scale"
import type { ReactElement } from "react"
import { relative } from "../ui/relative.ts"
import { momentWords } from "../ui/time.tsx"
import type { LineEvent } from "./line-events.ts"

const HOUR_MS = 3_600_000
/** From one hour to two years. */
const [FIRST, LAST] = [1, 17_520]
const TICKS: readonly [hours: number, label: string][] = [
  [1, "1 h"],
  [24, "1 d"],
  [72, "3 d"],
  [240, "10 d"],
  [720, "30 d"],
  [8766, "1 y"],
  [LAST, "2 y"],
]
/** Up to how long after a SIM change or port the risk is what, as the model's notes say it. */
const WINDOWS: readonly [from: number, to: number, band: string, shade: number][] = [
  [FIRST, 72, "high", 0.28],
  [72, 240, "elevated", 0.16],
  [240, 720, "low", 0.16],
]
const WIDTH_MIN = 280
/** Between two labels of the axis, from middle to middle. */
const LABEL_MIN = 26

/** What happened to the line, on a time axis that gives the last hours as much room as a year. */
export function SimTimeline(props: {
  readonly events: readonly LineEvent[]
  /** When it was scored. */
  readonly asOf: string
}): ReactElement {
  // As wide as there is room, so that letters keep their size.
  const { ref, width: room } = useElementSize()
  const width = Math.max(WIDTH_MIN, room)
  const then = Date.parse(props.asOf)
  const scale = scaleLog({ domain: [FIRST, LAST], range: [14, width - 14], base: 10 })
  const events = props.events.map((event) => ({
    ...event,
    hours: Math.min(LAST, Math.max(FIRST, (then - Date.parse(event.at)) / HOUR_MS)),
  }))
  const ticks = TICKS.filter(([hours], n) => {
    const next = TICKS[n + 1]
    return next === undefined || scale(next[0]) - scale(hours) >= LABEL_MIN
  })
  const height = 44 + Math.max(1, events.length) * 24
  const told = events.map(({ name, at }) => `${name} ${relative(at, then)}`).join(", ")
  return (
    <figure className="sim-timeline" ref={ref}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`SIM timeline: ${told === "" ? "nothing was observed" : told}`}
      >
        {WINDOWS.map(([from, to, band, shade]) => (
          <rect
            key={band}
            x={scale(from)}
            y={4}
            width={scale(to) - scale(from)}
            height={height - 26}
            fill={`var(--${band})`}
            opacity={shade}
          />
        ))}
        {events.length === 0 && (
          <text x={width / 2} y={24} className="event-label" textAnchor="middle">
            Nothing was observed
          </text>
        )}
        {events.map(({ name, at, hours, source }, row) => {
          // Words stand on the side that has room for them.
          const isLate = scale(hours) > width / 2
          return (
            <g key={`${name} ${at}`}>
              <title>{`${name}, ${momentWords(at)}${source === null ? "" : ` (${source})`}`}</title>
              <circle cx={scale(hours)} cy={20 + row * 24} r="6" fill="var(--ink)" />
              <text
                x={scale(hours) + (isLate ? -12 : 12)}
                y={24 + row * 24}
                textAnchor={isLate ? "end" : "start"}
                className="event-label"
              >
                {name}, {relative(at, then)}
              </text>
            </g>
          )
        })}
        <line x1={14} x2={width - 14} y1={height - 22} y2={height - 22} stroke="var(--line)" />
        {ticks.map(([hours, label]) => (
          <text key={label} x={scale(hours)} y={height - 6} className="tick" textAnchor="middle">
            {label}
          </text>
        ))}
      </svg>
      <figcaption>
        How long before the score. After a SIM change or a port the SIM swap risk is high for 3
        days, elevated up to day 10 and low up to day 30; these windows are shaded.
      </figcaption>
    </figure>
  )
}
