import type { SourceList } from "@assay/client"
import type { ReactElement } from "react"
import { Table } from "../ui/table.tsx"
import "./circulation.css"

type Source = SourceList["sources"][number]

/** One source passes on what an older one held. */
interface Arrow {
  readonly from: Source
  readonly to: Source
  /** Of the sample of `from`. */
  readonly identities: number
  readonly sample: number
}

const count = new Intl.NumberFormat()

/** Who circulates whom, as a picture and as a table. */
export function Circulation(props: { readonly sources: readonly Source[] }): ReactElement {
  const { sources } = props
  const arrows = arrowsOf(sources)
  const isNamed = sources.some(({ circulates }) => circulates !== undefined)
  return (
    <section aria-labelledby="circulation" className="circulation">
      <h2 id="circulation">Who circulates whom</h2>
      {arrows.length === 0 ? (
        <p>
          {isNamed
            ? "No source shown here passes on what an older one held, as far as imports were measured."
            : "Your plan does not name sources, so what they pass on is not shown."}
        </p>
      ) : (
        <>
          <p>
            An arrow leads to the oldest source of what was passed on. Counts are of a sample, one
            in 64 of all identities.
          </p>
          <div className="circulation-parts">
            <Picture arrows={arrows.slice(0, ARROWS_MAX)} />
            <Table label="Who circulates whom" columns={["Source", "Passes on", "#Of its sample"]}>
              {arrows.map(({ from, to, identities, sample }) => (
                <tr key={`${from.name} ${to.name}`}>
                  <td>{titleOf(from)}</td>
                  <td>
                    {titleOf(to)}
                    {from.circulation?.same_as === to.name && (
                      <>
                        <br />
                        <span className="soft">the same data</span>
                      </>
                    )}
                  </td>
                  <td className="number">
                    {count.format(identities)} of {count.format(sample)}
                  </td>
                </tr>
              ))}
            </Table>
          </div>
          {arrows.length > ARROWS_MAX && (
            <p className="soft">The picture has the {ARROWS_MAX} largest; the table has all.</p>
          )}
        </>
      )}
    </section>
  )
}

/** More than this cannot be told apart. */
const ARROWS_MAX = 24

/** The largest first. */
function arrowsOf(sources: readonly Source[]): Arrow[] {
  const byName = new Map(sources.map((source) => [source.name, source]))
  return sources
    .flatMap((from) =>
      (from.circulation?.origins ?? []).flatMap(({ name, identities }) => {
        const to = byName.get(name)
        const sample = from.circulation?.identities ?? 0
        return to === undefined ? [] : [{ from, to, identities, sample }]
      }),
    )
    .toSorted((one, other) => other.identities - one.identities)
}

const titleOf = ({ title, name }: Source): string => title ?? name ?? ""
const dateOf = ({ event_date, published_date, acquired_date, imported_at }: Source): string =>
  event_date ?? published_date ?? acquired_date ?? imported_at

const [WIDTH, ROW, LEFT, TOP, ARC_MAX] = [520, 44, 200, 16, 170]
const LETTERS_MAX = 38

/** Sources from the oldest at the top to the newest, and an arc for each arrow. */
function Picture({ arrows }: { readonly arrows: readonly Arrow[] }): ReactElement {
  const drawn = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].toSorted((one, other) =>
    dateOf(one) < dateOf(other) ? -1 : 1,
  )
  const y = (source: Source): number => TOP + ROW / 2 + drawn.indexOf(source) * ROW
  const height = 2 * TOP + drawn.length * ROW
  const said = arrows.map(
    ({ from, to, identities, sample }) =>
      `${titleOf(from)} passes on ${titleOf(to)}, ${identities} of ${sample}`,
  )
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height}`}
      className="circulation-picture"
      role="img"
      aria-label={`Who circulates whom: ${said.join("; ")}`}
    >
      <defs>
        <marker
          id="arrow-head"
          viewBox="0 0 8 8"
          refX="8"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0 L8 4 L0 8 Z" fill="var(--accent)" />
        </marker>
      </defs>
      {arrows.map(({ from, to, identities, sample }) => {
        const [begin, end] = [y(from), y(to)]
        const bulge = Math.min(ARC_MAX, 40 + Math.abs(begin - end) / 2)
        const x = LEFT - 12
        return (
          <g key={`${from.name} ${to.name}`}>
            <path
              d={`M${x} ${begin} C${x - bulge} ${begin} ${x - bulge} ${end} ${x} ${end}`}
              fill="none"
              stroke="var(--accent)"
              strokeWidth={1 + (3 * identities) / Math.max(1, sample)}
              markerEnd="url(#arrow-head)"
            >
              <title>{`${titleOf(from)} passes on ${titleOf(to)}: ${identities} of ${sample}`}</title>
            </path>
            <text
              className="circulation-count"
              x={x - 0.75 * bulge - 6}
              y={(begin + end) / 2 + 4}
              textAnchor="end"
            >
              {count.format(identities)}
            </text>
          </g>
        )
      })}
      {drawn.map((source) => (
        <g key={source.name}>
          <circle
            cx={LEFT}
            cy={y(source)}
            r={6}
            fill={source.circulates === true ? "var(--ground)" : "var(--accent)"}
            stroke="var(--accent)"
            strokeWidth={2}
          />
          <text x={LEFT + 16} y={y(source) - 1} className="circulation-name">
            {shortened(titleOf(source))}
            <title>{titleOf(source)}</title>
          </text>
          <text x={LEFT + 16} y={y(source) + 14} className="circulation-date">
            {dateOf(source).slice(0, 10)}
            {source.circulates === true ? ", circulates" : ""}
          </text>
        </g>
      ))}
    </svg>
  )
}

function shortened(text: string): string {
  return text.length <= LETTERS_MAX ? text : `${text.slice(0, LETTERS_MAX - 1)}…`
}
