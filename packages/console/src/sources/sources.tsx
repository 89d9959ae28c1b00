import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { service } from "../ui/service.ts"
import { Circulation } from "./circulation.tsx"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { dayWords, Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { evidenceWords } from "../ui/words.ts"

const count = new Intl.NumberFormat()

/** The sources that scores rest on, as the plan of the tenant may see them. */
export default function Sources(): ReactElement {
  const sources = useInfiniteQuery({
    queryKey: ["sources"],
    queryFn: ({ signal, pageParam }) =>
      service.listSources({ signal, ...(pageParam !== null && { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const all = sources.data?.pages.flatMap((page) => page.sources) ?? []
  return (
    <>
      <PageHead title="Sources" />
      {sources.error !== null && (
        <Failure error={sources.error} retry={() => void sources.refetch()} />
      )}
      {sources.isPending && <Loading />}
      {sources.isSuccess && all.length === 0 && (
        <Empty>
          Nothing was imported yet. Scores rest on lists of domains and numbering plans alone, with
          low confidence. <code>npx assay corpus import</code> takes the files you hold.
        </Empty>
      )}
      {all.length > 0 && (
        <Table
          label="Sources"
          columns={[
            "Source",
            "Kind",
            "Happened",
            "First imported",
            "#Observations",
            "#Identities",
            "Marks",
          ]}
        >
          {all.map((source, place) => (
            <tr key={source.name ?? place}>
              <td>
                {source.title ?? source.name ?? <span className="soft">not named</span>}
                {source.title !== undefined && source.title !== source.name && (
                  <>
                    <br />
                    <code className="soft">{source.name}</code>
                  </>
                )}
              </td>
              <td>{evidenceWords(source.kind)}</td>
              <td>
                {source.event_date === null ? (
                  <span className="soft">not said</span>
                ) : (
                  <span className="nowrap">{dayWords(source.event_date)}</span>
                )}
              </td>
              <td>
                <Moment at={source.imported_at} />
              </td>
              <td className="number">{counted(source.rows)}</td>
              <td className="number">{counted(source.identities)}</td>
              <td>{marks(source.flags ?? {}, source.circulates === true)}</td>
            </tr>
          ))}
        </Table>
      )}
      {sources.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void sources.fetchNextPage()}>
          Show more sources
        </Button>
      )}
      {all.length > 0 && <Circulation sources={all} />}
    </>
  )
}

const counted = (n: number | null): string => (n === null ? "not counted" : count.format(n))

function marks(flags: Readonly<Record<string, boolean>>, circulates: boolean): string {
  const set = Object.entries(flags).filter(([, isSet]) => isSet)
  return [
    ...set.map(([name]) => name.replaceAll("_", " ")),
    ...(circulates ? ["circulates"] : []),
  ].join(", ")
}
