import { useElementSize } from "@mantine/hooks"
import type { PolicyPreview } from "@assay/client"
import { AxisBottom, AxisLeft } from "@visx/axis"
import { scaleLinear } from "@visx/scale"
import { type ReactElement, useId } from "react"
import { actionWords } from "../ui/band.tsx"
import { type ActionName, ACTIONS, colourOf } from "./actions.ts"

type Curve = PolicyPreview["email"]

const [WIDTH_MIN, HEIGHT, LEFT, RIGHT, TOP, STRIP, BOTTOM] = [260, 330, 48, 12, 26, 24, 44]
const FLOOR = HEIGHT - BOTTOM - STRIP
/** How far above the dearest action that is taken the others are shown. */
const HEADROOM = 2.6
/** The room of a letter, so that a word stands only where it fits. */
const LETTER = 7
/** The room of an edge's name. */
const NAME = 116

/** What each action costs over the score, the one that is taken, and where it changes. */
export function CostCurve(props: {
  readonly title: string
  readonly curve: Curve
  /** The edges of the policy that acts; null where they are not known. */
  readonly before: Curve["edges"] | null
}): ReactElement {
  const { title, curve, before } = props
  const { edges, actions, curve: points } = curve
  const clip = useId()
  // As wide as there is room, so that letters keep their size.
  const { ref, width: room } = useElementSize()
  const width = Math.max(WIDTH_MIN, room)
  const isSame =
    before === null || (before.challenge === edges.challenge && before.block === edges.block)
  const moved = isSame ? null : before
  const taken = (score: number): ActionName =>
    actions.find(({ from, to }) => from <= score && score <= to)?.action ?? "review"
  const dearest = Math.max(...points.map((point) => point[taken(point.score)]))
  const x = scaleLinear({ domain: [0, 100], range: [LEFT, width - RIGHT] })
  const y = scaleLinear({ domain: [0, dearest * HEADROOM], range: [FLOOR, TOP] })
  const line = (action: ActionName, from = 0, to = 100): string =>
    points
      .filter(({ score }) => from <= score && score <= to)
      .map((point) => `${x(point.score).toFixed(1)},${y(point[action]).toFixed(1)}`)
      .join(" ")
  return (
    <figure ref={ref} className="cost-curve" aria-label={`Expected costs: ${title}`}>
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`${title}. ${spoken(curve)}`}
      >
        <clipPath id={clip}>
          <rect x={LEFT} y={TOP} width={width - RIGHT - LEFT} height={FLOOR - TOP} />
        </clipPath>
        <g clipPath={`url(#${clip})`} fill="none">
          {ACTIONS.map(({ action, colour, dash }) => (
            <polyline
              key={action}
              points={line(action)}
              stroke={colour}
              strokeWidth={1.5}
              strokeDasharray={dash}
            />
          ))}
          {actions.map(({ action, from, to }) => (
            <polyline
              key={from}
              points={line(action, from, to + 1)}
              stroke={colourOf(action)}
              strokeWidth={4}
            />
          ))}
        </g>
        {actions.map(({ action, from, to }) => (
          <g key={from}>
            <title>{spanWords({ action, from, to })}</title>
            <rect
              x={x(from)}
              y={FLOOR}
              width={x(Math.min(100, to + 1)) - x(from)}
              height={STRIP}
              fill={colourOf(action)}
              fillOpacity={0.22}
              stroke="var(--ground)"
            />
            {x(to) - x(from) >= actionWords(action).length * LETTER && (
              <text x={(x(from) + x(Math.min(100, to + 1))) / 2} y={FLOOR + 16} textAnchor="middle">
                {actionWords(action)}
              </text>
            )}
          </g>
        ))}
        {moved !== null && (
          <g stroke="var(--soft)" strokeDasharray="2 3">
            {shown(moved).map(([name, at]) => (
              <line key={name} x1={x(at)} x2={x(at)} y1={TOP} y2={FLOOR + STRIP}>
                <title>{`Now ${at}`}</title>
              </line>
            ))}
          </g>
        )}
        {shown(edges).map(([name, at], place, all) => (
          <g key={name}>
            <line
              x1={x(at)}
              x2={x(at)}
              y1={TOP - 4}
              y2={FLOOR + STRIP}
              stroke="var(--ink)"
              strokeWidth={1.5}
            />
            <text
              x={x(at)}
              y={TOP - 10}
              textAnchor={anchorOf(
                x(at),
                width,
                all.map((edge) => x(edge[1])),
                place,
              )}
            >
              {`${name} from ${at}`}
            </text>
          </g>
        ))}
        <AxisBottom
          top={FLOOR + STRIP}
          scale={x}
          tickValues={[0, 20, 40, 60, 80, 100]}
          label="Score"
          labelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle", y: 36 }}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle" }}
        />
        <AxisLeft
          left={LEFT}
          scale={y}
          numTicks={4}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "end", dx: -4, dy: 4 }}
        />
      </svg>
      <ul className="legend">
        {ACTIONS.map(({ action, colour, dash }) => (
          <li key={action}>
            <svg viewBox="0 0 32 8" aria-hidden="true">
              <line
                x1={0}
                x2={32}
                y1={4}
                y2={4}
                stroke={colour}
                strokeWidth={2.5}
                strokeDasharray={dash}
              />
            </svg>{" "}
            {actionWords(action)}
          </li>
        ))}
      </ul>
      <figcaption>
        Expected cost of each action, in unnecessary challenges, if all of the risk is that somebody
        else uses the identity. {spoken(curve)}
        {moved !== null && " The dotted upright lines are the edges of the policy that acts."}
      </figcaption>
    </figure>
  )
}

/** On which side of its edge a name stands: within the picture, and not over the other's. */
function anchorOf(
  at: number,
  width: number,
  all: readonly number[],
  place: number,
): "start" | "middle" | "end" {
  const next = all[place + 1]
  const before = all[place - 1]
  if (at + NAME / 2 > width || (next !== undefined && next - at < NAME)) return "end"
  if (at < NAME / 2 || (before !== undefined && at - before < NAME)) return "start"
  return "middle"
}

/** The edges that lie on the scale; both actions may begin at one score. */
function shown({ challenge, block }: Curve["edges"]): [name: string, at: number][] {
  const all: [string, number][] =
    challenge === block
      ? [["Block", block]]
      : [
          ["Challenge", challenge],
          ["Block", block],
        ]
  return all.filter(([, at]) => at >= 0 && at <= 100)
}

function spanWords({ action, from, to }: Curve["actions"][number]): string {
  return `${actionWords(action)} ${from === to ? `at ${from}` : `from ${from} to ${to}`}`
}

function spoken({ actions }: Curve): string {
  return `${actions.map(spanWords).join(", ")}.`
}
