import type { PolicyDocument } from "@assay/client"
import { Button, Group, NumberInput } from "@mantine/core"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { Failure } from "../ui/states.tsx"
import { beginWork, useWorkOf } from "../work/work.ts"
import { Compared } from "./compared.tsx"

/** What the proposed policy would have decided in the past days. */
export function BackTest(props: {
  readonly proposed: PolicyDocument
  readonly propose: (policy: PolicyDocument) => void
}): ReactElement {
  const { proposed, propose } = props
  const [days, setDays] = useState<number>(30)
  const work = useWorkOf("back-test")
  const begin = useChange(
    () => beginWork({ kind: "back-test", policy: { ...proposed }, days }),
    "work",
  )
  const tried = work === undefined || work.state === "lost" ? null : work.policy
  const isOther = tried !== null && JSON.stringify(tried) !== JSON.stringify(proposed)
  return (
    <>
      <Group align="flex-end" mb="md">
        <NumberInput
          label="Decisions of how many days"
          value={days}
          min={1}
          max={90}
          onChange={(value) => setDays(typeof value === "number" ? value : 30)}
        />
        <Button
          variant="default"
          loading={begin.isPending || work?.state === "running"}
          onClick={() => begin.mutate(undefined)}
        >
          Back-test this policy
        </Button>
      </Group>
      {begin.error !== null && <Failure error={begin.error} />}
      {work !== undefined && (
        <Compared key={work.id} of={work}>
          {isOther && (
            <p>
              {work.state === "running" ? "It tries" : "It tried"} another policy than the one
              proposed above.{" "}
              <Button size="compact-sm" variant="default" onClick={() => propose(tried)}>
                Propose the policy that was tried
              </Button>
            </p>
          )}
        </Compared>
      )}
    </>
  )
}
