import { scaleLog } from "@visx/scale"
import type { ReactElement } from "react"
import { relative } from "../ui/time.tsx"
import type { PhoneExplained } from "./explanation.ts"

const NAMES: Readonly<Record<string, string>> = {
  sim_change: "SIM change",
  port: "Port",
  device_change: "Device change",
  verified: "Verification",
  recycled: "New holder",
  call_forwarding: "Calls forwarded",
}
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
const WINDOWS: readonly [from: number, to: number, band: string, label: string][] = [
  [FIRST, 72, "critical", "high"],
  [72, 240, "elevated", "elevated"],
  [240, 720, "low", "low"],
]

/** What happened to the line, on a time axis that gives the last hours as much room as a year. */
export function SimTimeline({
  evidence,
}: {
  readonly evidence: NonNullable<PhoneExplained["evidence"]>
}): ReactElement {
  const now = Date.now()
  const scale = scaleLog({ domain: [FIRST, LAST], range: [20, 740], base: 10 })
  const events = evidence
    .filter(({ kind }) => Object.hasOwn(NAMES, kind))
    .map(({ kind, observed_at: at, source }) => ({
      name: NAMES[kind] ?? kind,
      at,
      source,
      hours: Math.min(LAST, Math.max(FIRST, (now - Date.parse(at)) / HOUR_MS)),
    }))
  const height = 60 + events.length * 24
  const told = events.map(({ name, at }) => `${name} ${relative(at)}`).join(", ")
  const label = `SIM timeline: ${told === "" ? "nothing was observed" : told}`
  return (
    <figure className="waterfall" tabIndex={0} aria-label="SIM timeline">
      <svg viewBox={`0 0 760 ${height}`} role="img" aria-label={label}>
        {WINDOWS.map(([from, to, band, label]) => (
          <g key={label}>
            <rect
              x={scale(from)}
              y={18}
              width={scale(to) - scale(from)}
              height={height - 40}
              fill={`var(--${band})`}
              opacity="0.12"
            />
            <text x={(scale(from) + scale(to)) / 2} y={12} className="tick" textAnchor="middle">
              {label} risk
            </text>
          </g>
        ))}
        {events.map(({ name, at, hours, source }, row) => (
          <g key={`${name} ${at}`}>
            <title>{`${name}, ${at} (${source})`}</title>
            <circle cx={scale(hours)} cy={34 + row * 24} r="6" fill="var(--ink)" />
            <text x={scale(hours) + 12} y={38 + row * 24} className="bar-label">
              {name}, {relative(at)}
            </text>
          </g>
        ))}
        <line x1={20} x2={740} y1={height - 22} y2={height - 22} stroke="var(--line)" />
        {TICKS.map(([hours, label]) => (
          <text key={label} x={scale(hours)} y={height - 6} className="tick" textAnchor="middle">
            {label}
          </text>
        ))}
      </svg>
    </figure>
  )
}
