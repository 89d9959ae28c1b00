import type { PolicyDocument } from "@assay/client"
import { Button, Group, NumberInput } from "@mantine/core"
import { type ReactElement, useState } from "react"
import { service } from "../ui/service.ts"
import { Failure } from "../ui/states.tsx"
import { dayWords } from "../ui/time.tsx"
import { ComparisonTable, useComparison } from "./comparison.tsx"

const count = new Intl.NumberFormat()

/** What the proposed policy would have decided in the past days. */
export function BackTest({ proposed }: { readonly proposed: PolicyDocument }): ReactElement {
  const [days, setDays] = useState<number>(30)
  const { comparison, run, stop } = useComparison()
  const { isRunning, looked, reached, error } = comparison
  return (
    <>
      <Group align="flex-end" mb="md">
        <NumberInput
          label="Decisions of the last days"
          value={days}
          min={1}
          max={90}
          onChange={(value) => setDays(typeof value === "number" ? value : 30)}
        />
        <Button
          variant="default"
          loading={isRunning}
          onClick={() =>
            void run((signal) =>
              service.policy.backTest({ policy: { ...proposed }, days }, { signal }),
            )
          }
        >
          Back-test this policy
        </Button>
        {isRunning && (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        )}
      </Group>
      {isRunning && (
        <p role="status">
          {count.format(looked)} decisions
          {reached !== null && `, back to ${dayWords(reached.slice(0, 10))}`} …
        </p>
      )}
      {error !== null && <Failure error={error} />}
      <ComparisonTable of={comparison} />
    </>
  )
}
