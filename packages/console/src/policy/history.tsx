import type { Policy } from "@assay/client"
import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Actor } from "../ui/actor.tsx"
import { useChange } from "../ui/change.ts"
import { service } from "../ui/service.ts"
import { Failure, Loading } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"

/** Every version that acted, and a way back to each. */
export function History(props: {
  readonly acting: Policy
  readonly mayRevert: boolean
}): ReactElement {
  const { acting, mayRevert } = props
  const versions = useInfiniteQuery({
    queryKey: ["policy-history"],
    queryFn: ({ signal, pageParam }) => service.policy.versions(pageParam, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
  })
  const all = versions.data?.pages.flatMap((page) => page.versions) ?? []
  const revert = useChange(
    (version: number) => service.policy.revert(version, acting.version),
    "policy",
    "policy-history",
  )
  return (
    <>
      {revert.error !== null && <Failure error={revert.error} />}
      {versions.error !== null && (
        <Failure error={versions.error} retry={() => void versions.refetch()} />
      )}
      {versions.isPending && <Loading />}
      {all.length > 0 && (
        <Table
          label="Versions"
          columns={["#Version", "Set", "By", "Policy", ...(mayRevert ? ["Change"] : [])]}
        >
          {all.map(({ version, set_at: at, actor, reverted_to: back, policy }) => (
            <tr key={version}>
              <td className="number">{version}</td>
              <td>
                <Moment at={at} />
              </td>
              <td>
                <Actor of={actor} />
              </td>
              <td>
                {Object.keys(policy).length === 0 ? (
                  "Costs and rules of the model"
                ) : (
                  <code>{JSON.stringify(policy)}</code>
                )}
                {back !== null && <div className="soft">brings back version {back}</div>}
              </td>
              {mayRevert && (
                <td>
                  {version === acting.version ? (
                    "Acts now"
                  ) : (
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => revert.mutate(version)}
                    >
                      Revert to version {version}
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </Table>
      )}
      {versions.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={versions.isFetchingNextPage}
          onClick={() => void versions.fetchNextPage()}
        >
          Show older versions
        </Button>
      )}
    </>
  )
}
