import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useId } from "react"
import { Link, useSearchParams } from "wouter"
import { DayChart } from "../ui/day-chart.tsx"
import { service, useSession } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { Attention } from "./attention.tsx"
import { Budget } from "./budget.tsx"
import { Freshness } from "./freshness.tsx"
import { Levels } from "./levels.tsx"
import { Outcomes } from "./outcomes.tsx"
import { Shares } from "./shares.tsx"

const count = new Intl.NumberFormat()

const PERIODS = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" } as const
type Period = keyof typeof PERIODS
const isPeriod = (text: string | null): text is Period => text !== null && text in PERIODS

/** What was decided, how well the service answers, what scores rest on, and what waits. */
export default function Overview(): ReactElement {
  const { data: session } = useSession()
  const [search, setSearch] = useSearchParams()
  const asked = search.get("period")
  const period = isPeriod(asked) ? asked : "24h"
  const isMember = session?.tenant_id !== null
  const reviews = session?.scopes.includes("review:read") === true
  const webhooks = isMember
    ? session?.roles.includes("owner") === true && session.scopes.includes("webhooks:manage")
    : session.roles.includes("administrator")
  const isAdministrator = session?.roles.includes("administrator") === true
  const select = useId()
  return (
    <>
      <PageHead title="Overview">
        <label htmlFor={select}>
          Of the last{" "}
          <select
            id={select}
            className="plain-select"
            value={period}
            onChange={({ currentTarget }) => setSearch({ period: currentTarget.value })}
          >
            {Object.entries(PERIODS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </PageHead>
      <section className="panel">
        <h2>What needs attention</h2>
        <Attention
          isMember={isMember}
          hasReviews={reviews}
          hasWebhooks={webhooks}
          isAdministrator={isAdministrator}
        />
      </section>
      {isMember && (
        <section className="panel">
          <h2>Decisions</h2>
          <Shares period={period} />
        </section>
      )}
      <section className="panel">
        <h2>How well the service answers</h2>
        <Levels period={period} />
      </section>
      {isAdministrator && (
        <section className="panel">
          <h2>Error budget of this month</h2>
          <Budget />
        </section>
      )}
      {isMember && (
        <>
          <section className="panel">
            <h2>Lookups a day</h2>
            <Lookups />
          </section>
          <section className="panel">
            <h2>What scores rest on</h2>
            <Freshness />
          </section>
          {reviews && (
            <section className="panel">
              <h2>What became of decisions</h2>
              <Outcomes />
            </section>
          )}
        </>
      )}
    </>
  )
}

function Lookups(): ReactElement {
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => service.getUsage({ signal }),
  })
  return (
    <Answer of={usage}>
      {({ usage: rows, total, from, to }) =>
        rows.length === 0 ? (
          <Empty action={<Link href="/console/playground">Score something</Link>}>
            Nothing was looked up this month.
          </Empty>
        ) : (
          <>
            <p className="soft">{count.format(total)} this month, by UTC day.</p>
            <DayChart days={rows} from={from} to={to} />
          </>
        )
      }
    </Answer>
  )
}
