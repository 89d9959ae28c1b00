import type { ComparedLine } from "@assay/client"
import type { ReactElement } from "react"
import { actionWords } from "../ui/band.tsx"
import { ACTIONS, colourOf } from "./actions.ts"

type Move = Extract<ComparedLine, { type: "summary" }>["moves"][number]

const [WIDTH, HEIGHT, LEFT, RIGHT, NODE, GAP, TOP] = [760, 200, 200, 560, 10, 14, 24]
/** What is rare is still seen. */
const THINNEST = 1.5
const SUBJECTS = { email: "Addresses", phone: "Numbers" } as const
const count = new Intl.NumberFormat()

/** How decisions go from one action to another, a picture for each kind of identity. */
export function Flows({ moves }: { readonly moves: readonly Move[] }): ReactElement {
  return (
    <>
      {(["email", "phone"] as const).map((subject) => {
        const own = moves.filter((move) => move.subject === subject)
        return own.length > 0 && <Flow key={subject} title={SUBJECTS[subject]} moves={own} />
      })}
    </>
  )
}

interface Ribbon extends Move {
  readonly thickness: number
  readonly from: number
  readonly to: number
}

interface Node {
  readonly action: string
  readonly count: number
  readonly y: number
  readonly height: number
}

function Flow(props: { readonly title: string; readonly moves: readonly Move[] }): ReactElement {
  const { ribbons, before, after, height } = laidOut(props.moves)
  const changed = ribbons.filter((ribbon) => ribbon.before !== ribbon.after)
  const spoken =
    changed.length === 0
      ? "No decision changes"
      : changed
          .map(
            (move) =>
              `${count.format(move.count)} from ${actionWords(move.before)} to ${actionWords(move.after)}`,
          )
          .join(", ")
  return (
    <figure className="flow" tabIndex={0} aria-label={`${props.title}: before and after`}>
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        role="img"
        aria-label={`${props.title}, from the action before to the one after. ${spoken}.`}
      >
        <text x={LEFT} y={14} textAnchor="end" fontWeight={600}>
          {props.title}: before
        </text>
        <text x={RIGHT} y={14} fontWeight={600}>
          After
        </text>
        {ribbons.map((ribbon) => (
          <path
            key={`${ribbon.before} ${ribbon.after}`}
            d={pathOf(ribbon)}
            fill={ribbon.before === ribbon.after ? "var(--line)" : colourOf(ribbon.after)}
            fillOpacity={ribbon.before === ribbon.after ? 0.8 : 0.65}
          >
            <title>
              {`${count.format(ribbon.count)}: ${actionWords(ribbon.before)}, then ${actionWords(ribbon.after)}`}
            </title>
          </path>
        ))}
        {before.map((node) => (
          <Bar key={node.action} node={node} x={LEFT - NODE} label={LEFT - NODE - 8} anchor="end" />
        ))}
        {after.map((node) => (
          <Bar key={node.action} node={node} x={RIGHT} label={RIGHT + NODE + 8} anchor="start" />
        ))}
      </svg>
    </figure>
  )
}

function Bar(props: {
  readonly node: Node
  readonly x: number
  readonly label: number
  readonly anchor: "start" | "end"
}): ReactElement {
  const { node, x, label, anchor } = props
  return (
    <g>
      <rect x={x} y={node.y} width={NODE} height={node.height} fill={colourOf(node.action)} />
      <text x={label} y={node.y + node.height / 2 + 4} textAnchor={anchor}>
        {`${actionWords(node.action)}, ${count.format(node.count)}`}
      </text>
    </g>
  )
}

/** A band that leaves its action level and arrives level. */
function pathOf({ from, to, thickness }: Ribbon): string {
  const middle = (LEFT + RIGHT) / 2
  return [
    `M${LEFT},${from}`,
    `C${middle},${from} ${middle},${to} ${RIGHT},${to}`,
    `V${to + thickness}`,
    `C${middle},${to + thickness} ${middle},${from + thickness} ${LEFT},${from + thickness}`,
    "Z",
  ].join(" ")
}

/** Where everything lies: actions in their order on both sides, bands as thick as their counts. */
function laidOut(moves: readonly Move[]): {
  ribbons: Ribbon[]
  before: Node[]
  after: Node[]
  height: number
} {
  const total = moves.reduce((sum, move) => sum + move.count, 0)
  const thickness = (n: number): number => Math.max(THINNEST, (n / total) * HEIGHT)
  const order = ACTIONS.map(({ action }) => action)
  const sides = (["before", "after"] as const).map((side) => {
    let y = TOP
    const starts = new Map<string, number>()
    const nodes: Node[] = []
    for (const action of order) {
      const own = moves.filter((move) => move[side] === action)
      if (own.length === 0) continue
      const height = own.reduce((sum, move) => sum + thickness(move.count), 0)
      const counted = own.reduce((sum, move) => sum + move.count, 0)
      nodes.push({ action, count: counted, y, height })
      starts.set(action, y)
      y += Math.max(height, 8) + GAP
    }
    return { nodes, starts, end: y }
  })
  const [left, right] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const inOrder = moves.toSorted(
    (a, b) =>
      order.indexOf(a.before) - order.indexOf(b.before) ||
      order.indexOf(a.after) - order.indexOf(b.after),
  )
  // Bands leave and arrive in the order of the other side, so that they cross as little as can be.
  const ribbons = inOrder.map((move): Ribbon => {
    const from = left.starts.get(move.before) ?? TOP
    const to = right.starts.get(move.after) ?? TOP
    const thick = thickness(move.count)
    left.starts.set(move.before, from + thick)
    right.starts.set(move.after, to + thick)
    return { ...move, thickness: thick, from, to }
  })
  const height = Math.max(left.end, right.end)
  return { ribbons, before: left.nodes, after: right.nodes, height }
}
