import type { ReactElement } from "react"
import type { BandName } from "../ui/band.tsx"

const ARCS: readonly [name: BandName, from: number, to: number][] = [
  ["low", 0, 25],
  ["elevated", 25, 60],
  ["high", 60, 80],
  ["critical", 80, 100],
]
const [CENTRE_X, CENTRE_Y, RADIUS] = [120, 112, 92]

/** A point of the half-circle at a score. */
function at(score: number, radius = RADIUS): string {
  const angle = Math.PI * (1 - score / 100)
  const x = CENTRE_X + radius * Math.cos(angle)
  const y = CENTRE_Y - radius * Math.sin(angle)
  return `${x.toFixed(2)} ${y.toFixed(2)}`
}

/** The score on a half-circle, with the bands as arcs. */
export function Gauge(props: { readonly score: number; readonly band: BandName }): ReactElement {
  const { score, band } = props
  return (
    <svg
      viewBox="0 0 240 136"
      role="img"
      aria-label={`Score ${score} of 100, band ${band}`}
      className="gauge"
    >
      {ARCS.map(([name, from, to]) => (
        <path
          key={name}
          d={`M ${at(from + 0.4)} A ${RADIUS} ${RADIUS} 0 0 1 ${at(to - 0.4)}`}
          fill="none"
          stroke={`var(--${name})`}
          strokeWidth={name === band ? 16 : 8}
          opacity={name === band ? 1 : 0.45}
        />
      ))}
      {[25, 60, 80].map((edge) => {
        const [x, y] = at(edge, RADIUS + 13).split(" ")
        return (
          <text key={edge} x={x} y={y} className="tick" textAnchor={edge < 50 ? "end" : "start"}>
            {edge}
          </text>
        )
      })}
      <path
        d={`M ${at(score, RADIUS - 14)} L ${at(score, RADIUS + 8)}`}
        stroke="var(--ink)"
        strokeWidth="3"
      />
      <text x={CENTRE_X} y={CENTRE_Y - 8} className="score" textAnchor="middle">
        {score}
      </text>
      <text x={CENTRE_X} y={CENTRE_Y + 14} className="tick" textAnchor="middle">
        of 100
      </text>
    </svg>
  )
}
