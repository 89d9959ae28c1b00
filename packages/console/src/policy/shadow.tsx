import type { PolicyDocument } from "@assay/client"
import { Button, Group } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { useChange } from "../ui/change.ts"
import { service } from "../ui/service.ts"
import { Answer, Failure } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { beginWork, useWorkOf } from "../work/work.ts"
import { Compared } from "./compared.tsx"

/** A second policy that is computed beside the one that acts, and recorded. */
export function Shadow(props: {
  readonly proposed: PolicyDocument
  readonly maySet: boolean
}): ReactElement {
  const { proposed, maySet } = props
  const shadow = useQuery({
    queryKey: ["shadow"],
    queryFn: ({ signal }) => service.policy.shadow({ signal }),
  })
  const begin = useChange(() => service.policy.setShadow({ ...proposed }), "shadow")
  const end = useChange(() => service.policy.endShadow(), "shadow")
  const work = useWorkOf("shadow")
  const compare = useChange(() => beginWork({ kind: "shadow" }), "work")
  const failed = begin.error ?? end.error ?? compare.error
  return (
    <>
      <Answer of={shadow}>
        {({ shadow: running }) => (
          <p>
            {running === null ? (
              "Nothing is computed beside the policy that acts."
            ) : (
              <>
                Since <Moment at={running.set_at} />, shadow version {running.version} is computed
                beside the policy that acts, and acts on nothing.
              </>
            )}
          </p>
        )}
      </Answer>
      <Group mb="md">
        {maySet && (
          <>
            <Button
              variant="default"
              loading={begin.isPending}
              onClick={() => begin.mutate(undefined)}
            >
              Compute the proposed policy beside it
            </Button>
            {shadow.data?.shadow != null && (
              <Button
                variant="default"
                loading={end.isPending}
                onClick={() => end.mutate(undefined)}
              >
                End the shadow
              </Button>
            )}
          </>
        )}
        <Button
          variant="default"
          loading={compare.isPending || work?.state === "running"}
          onClick={() => compare.mutate(undefined)}
        >
          Compare what was recorded
        </Button>
      </Group>
      {failed !== null && <Failure error={failed} />}
      {work !== undefined && <Compared key={work.id} of={work} />}
    </>
  )
}
