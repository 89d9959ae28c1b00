import { AxisBottom } from "@visx/axis"
import { scaleLinear } from "@visx/scale"
import type { ReactElement } from "react"
import type { BandName } from "../ui/band.tsx"
import { dayWords } from "../ui/time.tsx"
import type { Contribution } from "./explanation.ts"

export interface WaterfallProps {
  readonly score: number
  readonly band: BandName
  readonly baseline: number
  readonly contributions: readonly Contribution[]
  readonly rounding: number
  readonly mitigations: readonly string[]
  /** The floor or cap that holds the score, on its scale. */
  readonly held: { readonly points: number; readonly what: string } | null
}

interface Bar {
  readonly label: string
  readonly points: number
  readonly from: number
  readonly fill: string
  readonly date: string | null
}

const [WIDTH, LABEL, ROW, TOP] = [760, 340, 30, 8]
/** What fits beside the bars; the whole sentence is among the reasons and in the title of its bar. */
const LABEL_MAX = 46

/** Baseline, each factor and rounding as bars that add up to the score. */
export function Waterfall(props: WaterfallProps): ReactElement {
  const bars = barsOf(props)
  const height = TOP + bars.length * ROW
  const scale = scaleLinear({ domain: [0, 100], range: [LABEL, WIDTH - 60] })
  const signed = (points: number): string => (points < 0 ? "−" : "+") + Math.abs(points).toFixed(1)
  return (
    <figure className="waterfall" tabIndex={0} aria-label="How the score adds up">
      <svg viewBox={`0 0 ${WIDTH} ${height + 34}`} role="img" aria-labelledby="waterfall-sum">
        {bars.map(({ label, points, from, fill, date }, row) => {
          const [left, right] = [Math.min(from, from + points), Math.max(from, from + points)]
          const y = TOP + row * ROW
          return (
            <g key={label}>
              <title>{date === null ? label : `${label}, newest ${dayWords(date)}`}</title>
              <text x={LABEL - 10} y={y + 16} textAnchor="end" className="bar-label">
                {label.length > LABEL_MAX ? `${label.slice(0, LABEL_MAX - 1)}…` : label}
              </text>
              <rect
                x={scale(Math.max(0, left))}
                y={y + 4}
                width={Math.max(1.5, scale(right) - scale(Math.max(0, left)))}
                height={16}
                fill={fill}
              />
              <text x={scale(Math.max(right, 0)) + 6} y={y + 16} className="bar-points">
                {row === 0 ? points.toFixed(1) : signed(points)}
              </text>
            </g>
          )
        })}
        {props.held !== null && (
          <g>
            <title>{props.held.what}</title>
            <line
              x1={scale(props.held.points)}
              x2={scale(props.held.points)}
              y1={0}
              y2={height}
              stroke="var(--ink)"
              strokeDasharray="4 3"
            />
          </g>
        )}
        <AxisBottom
          top={height}
          scale={scale}
          tickValues={[0, 25, 60, 80, 100]}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle" }}
        />
      </svg>
      <figcaption id="waterfall-sum">
        {sumOf(props)}
        {props.held !== null && ` ${props.held.what}.`}
        {props.mitigations.length > 0 &&
          ` The baseline is lower because ${props.mitigations.join(", ")}.`}
      </figcaption>
    </figure>
  )
}

function barsOf({ band, baseline, contributions, rounding }: WaterfallProps): Bar[] {
  let reached = baseline
  const factors = contributions.map(({ text, points, newest }): Bar => {
    const from = reached
    reached += points
    return { label: text, points, from, fill: `var(--${band})`, date: newest }
  })
  return [
    { label: "Baseline", points: baseline, from: 0, fill: "var(--soft)", date: null },
    ...factors,
    { label: "Rounding", points: rounding, from: reached, fill: "var(--soft)", date: null },
  ]
}

/** The sum as it adds up, to a hundredth. */
function sumOf({ baseline, contributions, rounding, score }: WaterfallProps): string {
  const parts = [baseline, ...contributions.map(({ points }) => points), rounding]
  const terms = parts.map((points, n) => {
    const size = Math.abs(points).toFixed(2)
    return n === 0 ? size : `${points < 0 ? "−" : "+"} ${size}`
  })
  return `${terms.join(" ")} = ${score}.`
}
