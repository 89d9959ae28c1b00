import type { UsageReport } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link } from "wouter"
import { DayChart } from "../ui/day-chart.tsx"
import { service, useSession } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { dayWords } from "../ui/time.tsx"
import { subjectWords } from "../ui/words.ts"

const count = new Intl.NumberFormat()

/** What the tenant's keys looked up this month, and what is left. */
export default function Usage(): ReactElement {
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => service.getUsage({ signal }),
  })
  return (
    <>
      <PageHead title="Usage" />
      <Answer of={usage}>
        {(report) => (
          <>
            <Left report={report} />
            {report.usage.length === 0 ? (
              <Empty action={<Link href="/console/playground">Score something</Link>}>
                Nothing was looked up this month. Every address or number that is scored counts.
              </Empty>
            ) : (
              <>
                <DayChart days={report.usage} from={report.from} to={report.to} />
                <UsageTable report={report} />
              </>
            )}
          </>
        )}
      </Answer>
    </>
  )
}

function Left({ report }: { readonly report: UsageReport }): ReactElement {
  const { total, lookups_left: left, lookups_per_month: most } = report
  return (
    <p>
      {count.format(total)} {total === 1 ? "lookup" : "lookups"} from {dayWords(report.from)} to{" "}
      {dayWords(report.to)}.{" "}
      {left === null || most === null
        ? "The plan has no limit."
        : `${count.format(left)} of ${count.format(most)} are left this month.`}
    </p>
  )
}

function UsageTable({ report }: { readonly report: UsageReport }): ReactElement {
  const { data: session } = useSession()
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: ({ signal }) => service.keys.list({ signal }),
    enabled: session?.roles.includes("owner") === true,
  })
  const labels = new Map(keys.data?.keys.map(({ id, label }) => [id, label]))
  return (
    <Table label="Usage by day, key and kind" columns={["Day (UTC)", "Key", "Kind", "#Lookups"]}>
      {report.usage.map(({ day, key_id: key, operation, count: n }) => (
        <tr key={`${day} ${key} ${operation}`}>
          <td>{dayWords(day)}</td>
          <td>
            {key.startsWith("console_") ? (
              "The console"
            ) : (
              <>
                {labels.get(key)} <code className="soft">{key}</code>
              </>
            )}
          </td>
          <td>{subjectWords(operation)}</td>
          <td className="number">{count.format(n)}</td>
        </tr>
      ))}
    </Table>
  )
}
