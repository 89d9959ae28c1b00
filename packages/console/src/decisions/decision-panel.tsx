import type { DecisionDetails } from "@assay/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, useSearchParams } from "wouter"
import { EmailCard, PhoneCard } from "../card/card.tsx"
import { service } from "../ui/service.ts"
import { Answer, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Comparison } from "./comparison.tsx"

/** One decision: as it was answered, and computed again from what was recorded. */
export function DecisionPanel({ id }: { readonly id: string }): ReactElement {
  const decision = useQuery({
    queryKey: ["decision", id],
    queryFn: ({ signal }) => service.getDecision(id, { signal, explain: true }),
    staleTime: Infinity,
  })
  const [search, setSearch] = useSearchParams()
  const isCompared = search.has("compare")
  return (
    <>
      <PageHead title="Decision">
        <Link href="/console/decisions">All decisions</Link>
      </PageHead>
      <Answer of={decision}>
        {(details) => (
          <>
            <Button
              variant="default"
              aria-expanded={isCompared}
              onClick={() => setSearch(isCompared ? {} : { compare: "yes" })}
            >
              {isCompared ? "End comparison" : "Compare"}
            </Button>
            {isCompared && <Comparison id={id} />}
            <Replayed of={details} />
          </>
        )}
      </Answer>
    </>
  )
}

function Replayed({ of }: { readonly of: DecisionDetails }): ReactElement {
  const result = { ...of.assessment, explanation: of.explanation } as never
  return (
    <>
      <p>
        Decided <Moment at={of.decided_at} /> by model {of.model_version}
        {of.calibration === null ? "" : " with the tenant's own calibration"}.{" "}
        {of.reproduced ? (
          "Computed again now, it is the same answer."
        ) : (
          <strong>
            Computed again now, it is another answer: {of.recorded.risk_score} was recorded.
          </strong>
        )}
      </p>
      {of.subject === "email" ? (
        <EmailCard result={result} title={of.id} call={null} />
      ) : (
        <PhoneCard result={result} title={of.id} call={null} />
      )}
    </>
  )
}
