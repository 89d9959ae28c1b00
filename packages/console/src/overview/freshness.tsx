import type { SourceList } from "@assay/client"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link } from "wouter"
import { service } from "../ui/service.ts"
import { Answer, Empty } from "../ui/states.tsx"
import { relative } from "../ui/relative.ts"
import { dayWords, Moment } from "../ui/time.tsx"

/** The first sources, with what is newest of all. */
export function useSources(enabled = true): UseQueryResult<SourceList> {
  return useQuery({
    enabled,
    queryKey: ["sources", "first"],
    queryFn: ({ signal }) => service.listSources({ signal }),
  })
}

/** How fresh the corpus is. */
export function Freshness(): ReactElement {
  return (
    <Answer of={useSources()}>
      {({ newest }) =>
        newest === null ? (
          <Empty>Nothing was imported yet: scores rest on lists and numbering plans alone.</Empty>
        ) : (
          <dl className="facts">
            <dt>Newest import</dt>
            <dd>
              <Moment at={newest.imported_at} />, {relative(newest.imported_at)}
            </dd>
            <dt>Newest source with a date</dt>
            <dd>
              {newest.event_date === null
                ? "No source says when it happened."
                : `${dayWords(newest.event_date)}, ${relative(`${newest.event_date}T00:00:00Z`)}`}
            </dd>
            <dt>Sources</dt>
            <dd>
              <Link href="/console/sources">See all of them</Link>
            </dd>
          </dl>
        )
      }
    </Answer>
  )
}
