import type { SourceList } from "@assay/client"
import type { ReactElement } from "react"
import { Table } from "../ui/table.tsx"
import { dayWords } from "../ui/time.tsx"
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

const [ROW, TOP, ARC_MAX] = [44, 8, 170]
const LETTERS_MAX = 38
/** At most, of the letters of a name, of a count, and of a date with what follows it. */
const [LETTER, COUNT_WIDTH, DATE_WIDTH] = [7.6, 56, 150]

/** Sources from the oldest at the top to the newest, and an arc for each arrow. */
function Picture({ arrows }: { readonly arrows: readonly Arrow[] }): ReactElement {
  const drawn = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].toSorted((one, other) =>
    dateOf(one) < dateOf(other) ? -1 : 1,
  )
  const y = (source: Source): number => TOP + ROW / 2 + drawn.indexOf(source) * ROW
  const bulgeOf = ({ from, to }: Arrow): number =>
    Math.min(ARC_MAX, 40 + Math.abs(y(from) - y(to)) / 2)
  // No wider than what is drawn: a picture that is made smaller for a phone makes its letters so.
  const left = COUNT_WIDTH + 0.75 * Math.max(...arrows.map(bulgeOf))
  const letters = Math.max(...drawn.map((source) => shortened(titleOf(source)).length))
  const width = Math.ceil(left + 16 + Math.max(DATE_WIDTH, LETTER * letters))
  const height = 2 * TOP + drawn.length * ROW
  const said = arrows.map(
    ({ from, to, identities, sample }) =>
      `${titleOf(from)} passes on ${titleOf(to)}, ${identities} of ${sample}`,
  )
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
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
      {arrows.map((arrow) => {
        const { from, to, identities, sample } = arrow
        const [begin, end] = [y(from), y(to)]
        const bulge = bulgeOf(arrow)
        const x = left - 12
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
            cx={left}
            cy={y(source)}
            r={6}
            fill={source.circulates === true ? "var(--ground)" : "var(--accent)"}
            stroke="var(--accent)"
            strokeWidth={2}
          />
          <text x={left + 16} y={y(source) - 1} className="circulation-name">
            {shortened(titleOf(source))}
            <title>{titleOf(source)}</title>
          </text>
          <text x={left + 16} y={y(source) + 14} className="circulation-date">
            {dayWords(dateOf(source).slice(0, 10))}
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
