import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Actor } from "../ui/actor.tsx"
import { service } from "../ui/service.ts"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { auditWords, detailsOf } from "./words.ts"

const PAGE = 50

/** Who changed what, the newest first. */
export default function Audit(): ReactElement {
  const trail = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ signal, pageParam }) =>
      service.listAudit({
        signal,
        limit: PAGE,
        ...(pageParam !== null && { before: pageParam }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ entries }) => (entries.length < PAGE ? null : entries.at(-1)?.id),
  })
  const entries = trail.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <PageHead title="Audit" />
      {trail.error !== null && <Failure error={trail.error} retry={() => void trail.refetch()} />}
      {trail.isPending && <Loading />}
      {trail.isSuccess && entries.length === 0 && <Empty>Nothing is on record yet.</Empty>}
      {entries.length > 0 && (
        <Table label="Audit trail" columns={["#No.", "When", "Who", "What", "About", "Details"]}>
          {entries.map(({ id, at, actor, action, subject, detail, request_id: request }) => (
            <tr key={id}>
              <td className="number">{id}</td>
              <td>
                <Moment at={at} />
              </td>
              <td>
                <Actor of={actor} />
              </td>
              <td title={action}>{auditWords(action)}</td>
              <td>
                <Actor of={subject} />
              </td>
              <td>
                {detailsOf(detail).map(([name, value]) => (
                  <div key={name}>
                    <span className="soft">{name}</span> <code>{value}</code>
                  </div>
                ))}
                {request !== null && (
                  <div className="soft">
                    request <code>{request}</code>
                  </div>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {trail.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={trail.isFetchingNextPage}
          onClick={() => void trail.fetchNextPage()}
        >
          Show older entries
        </Button>
      )}
    </>
  )
}
