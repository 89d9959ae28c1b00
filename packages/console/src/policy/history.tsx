import type { Policy } from "@assay/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { service } from "../ui/service.ts"
import { Answer, Failure } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"

/** Every version that acted, and a way back to each. */
export function History(props: {
  readonly acting: Policy
  readonly mayRevert: boolean
}): ReactElement {
  const { acting, mayRevert } = props
  const versions = useQuery({
    queryKey: ["policy-history"],
    queryFn: ({ signal }) => service.policy.versions(undefined, { signal }),
  })
  const revert = useChange(
    (version: number) => service.policy.revert(version, acting.version),
    "policy",
    "policy-history",
  )
  return (
    <>
      {revert.error !== null && <Failure error={revert.error} />}
      <Answer of={versions}>
        {({ versions: all }) => (
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
                  <code>{actor}</code>
                </td>
                <td>
                  <code>{JSON.stringify(policy)}</code>
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
      </Answer>
    </>
  )
}
