import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link } from "wouter"
import { DayChart } from "../ui/day-chart.tsx"
import { service } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { relative } from "../ui/time.tsx"
import { Outcomes } from "./outcomes.tsx"

const count = new Intl.NumberFormat()
/** As many as are counted one by one. */
const WAITING_MAX = 100

/** What was looked up, what waits, what scores rest on, and what became of decisions. */
export default function Overview(): ReactElement {
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => service.getUsage({ signal }),
  })
  return (
    <>
      <PageHead title="Overview" />
      <section className="panel">
        <h2>What needs attention</h2>
        <Attention />
      </section>
      <section className="panel">
        <h2>Lookups a day</h2>
        <Answer of={usage}>
          {({ usage: rows, total }) =>
            rows.length === 0 ? (
              <Empty action={<Link href="/console/playground">Score something</Link>}>
                Nothing was looked up this month.
              </Empty>
            ) : (
              <>
                <p className="soft">{count.format(total)} this month.</p>
                <DayChart days={rows} />
              </>
            )
          }
        </Answer>
      </section>
      <section className="panel">
        <h2>What became of decisions</h2>
        <Outcomes />
      </section>
    </>
  )
}

function Attention(): ReactElement {
  const waiting = useQuery({
    queryKey: ["review", "count"],
    queryFn: ({ signal }) => service.review.list({ limit: String(WAITING_MAX) }, { signal }),
  })
  const sources = useQuery({
    queryKey: ["sources", "first"],
    queryFn: ({ signal }) => service.listSources({ signal }),
  })
  return (
    <ul>
      <li>
        <Answer of={waiting}>
          {({ reviews }) =>
            reviews.length === 0 ? (
              "No decision waits for an analyst."
            ) : (
              <Link href="/console/review">
                {reviews.length === WAITING_MAX
                  ? `${WAITING_MAX} decisions or more wait for an analyst`
                  : `${reviews.length} decisions wait for an analyst`}
              </Link>
            )
          }
        </Answer>
      </li>
      <li>
        <Answer of={sources}>
          {({ sources: all }) => {
            const newest = all
              .map(({ imported_at: at }) => at)
              .sort()
              .at(-1)
            return newest === undefined ? (
              "Nothing was imported yet: scores rest on lists and numbering plans alone."
            ) : (
              <Link href="/console/sources">
                The newest of these sources was first imported {relative(newest)}
              </Link>
            )
          }}
        </Answer>
      </li>
    </ul>
  )
}
