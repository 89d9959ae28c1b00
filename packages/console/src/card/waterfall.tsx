import type { ReactElement } from "react"
import type { BandName } from "../ui/band.tsx"
import { dayWords } from "../ui/time.tsx"
import type { Contribution } from "./explanation.ts"
import { inHundredths } from "./hundredths.ts"

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

/** The edges of the bands, and the ends of the scale. */
const TICKS = [0, 25, 60, 80, 100]

/**
 * Baseline, each factor and rounding as bars that add up to the score. The words are text of the
 * page and no part of a picture: they keep their size and break into lines on a phone.
 */
export function Waterfall(props: WaterfallProps): ReactElement {
  const { held } = props
  const printed = inHundredths(
    [props.baseline, ...props.contributions.map(({ points }) => points)],
    props.score,
  )
  return (
    <figure className="waterfall" aria-label="How the score adds up">
      <ul>
        {barsOf(props).map(({ label, points, from, fill, date }, row) => (
          <li key={label}>
            <span className="bar-label">
              {label}
              {date !== null && <span className="soft">, {dayWords(date)}</span>}
            </span>
            <svg className="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              {TICKS.map((tick) => (
                <rect key={tick} x={tick} width="0.15" height="10" fill="var(--line)" />
              ))}
              <Span from={from} to={from + points} fill={fill} />
              {held !== null && (
                <rect x={held.points} width="0.3" height="10" fill="var(--ink)">
                  <title>{held.what}</title>
                </rect>
              )}
            </svg>
            <span className="bar-points">{pointsOf(printed[row] ?? points, row)}</span>
          </li>
        ))}
      </ul>
      <div className="bar-axis" aria-hidden="true">
        <div>
          {TICKS.map((tick) => (
            <span key={tick} style={{ left: `${tick}%` }}>
              {tick}
            </span>
          ))}
        </div>
      </div>
      <figcaption>
        {printed.map((points, row) => pointsOf(points, row, " ")).join(" ")} = {props.score}.
        {held !== null && ` ${held.what}: the line at ${Number(held.points.toFixed(2))}.`}
        {props.mitigations.length > 0 &&
          ` The baseline is lower because ${list.format(props.mitigations)}.`}
      </figcaption>
    </figure>
  )
}

/** A bar between two places of the scale; what adds next to nothing is seen all the same. */
function Span(props: {
  readonly from: number
  readonly to: number
  readonly fill: string
}): ReactElement {
  const left = Math.max(0, Math.min(props.from, props.to))
  const right = Math.max(props.from, props.to)
  return <rect x={left} y="1.5" width={Math.max(0.3, right - left)} height="7" fill={props.fill} />
}

const list = new Intl.ListFormat("en", { type: "conjunction" })

/** Points with their sign, which the baseline has none of. */
function pointsOf(points: number, row: number, gap = ""): string {
  const size = Math.abs(points).toFixed(2)
  return row === 0 ? size : `${points < 0 ? "−" : "+"}${gap}${size}`
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
