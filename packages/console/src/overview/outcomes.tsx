import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { actionWords, Band } from "../ui/band.tsx"
import { service } from "../ui/service.ts"
import { Answer, Empty } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { subjectWords } from "../ui/words.ts"

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 })

/** The share of confirmed cases that proved bad, with its interval, by band and action. */
export function Outcomes(): ReactElement {
  const outcomes = useQuery({
    queryKey: ["outcomes"],
    queryFn: ({ signal }) => service.review.outcomes(undefined, { signal }),
  })
  return (
    <Answer of={outcomes}>
      {({ groups, confirmed, cases_min: least }) =>
        groups.length === 0 ? (
          <Empty>
            Nothing is confirmed yet. What analysts decide and what feedback reports is counted
            here.
          </Empty>
        ) : (
          <>
            <p className="soft">
              Of the last 90 days: {confirmed.bad} proved bad and {confirmed.good} good,{" "}
              {confirmed.by_analysts} by analysts and {confirmed.by_feedback} by feedback. Below{" "}
              {least} cases there is no share.
            </p>
            <Table
              label="Outcomes"
              columns={[
                "Kind",
                "Band",
                "Action",
                "#Confirmed",
                "#Proved bad",
                `Share, with ${percent.format(0.95)} confidence`,
              ]}
            >
              {groups.map(({ subject, band, action, cases, bad, share, interval }) => (
                <tr key={`${subject} ${band} ${action}`}>
                  <td>{subjectWords(subject)}</td>
                  <td>
                    <Band name={band} />
                  </td>
                  <td>{actionWords(action)}</td>
                  <td className="number">{cases}</td>
                  <td className="number">{bad}</td>
                  <td>
                    {share === null || interval === null
                      ? "too few cases"
                      : `${percent.format(share)}, between ${percent.format(interval[0])} and ${percent.format(interval[1])}`}
                  </td>
                </tr>
              ))}
            </Table>
          </>
        )
      }
    </Answer>
  )
}
