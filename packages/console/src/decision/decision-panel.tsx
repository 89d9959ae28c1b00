import type { DecisionDetails } from "@assay/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement, ReactNode } from "react"
import { useLocation, useSearchParams } from "wouter"
import { EmailCard, PhoneCard } from "../card/card.tsx"
import { useOpened } from "../ui/opened.ts"
import { service } from "../ui/service.ts"
import { SidePanel } from "../ui/side-panel.tsx"
import { Answer } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Comparison } from "./comparison.tsx"
import "./decision.css"
import { COMPARED, listOf } from "./decision-address.ts"

/**
 * A decision beside the list it stands in, at an address of its own that keeps what the list is
 * narrowed by. Closing it gives the focus back to the decision's link in the list.
 */
export function DecisionPanel(props: {
  /** The address of the list. */
  readonly path: string
  /** Null: none is open. */
  readonly id: string | null
  /** What the list lets do with it. */
  readonly children?: ReactNode
}): ReactElement {
  const { path, id, children } = props
  const [, go] = useLocation()
  const [search] = useSearchParams()
  const shown = useOpened(id)
  return (
    <SidePanel title="Decision" isOpen={id !== null} close={() => go(`${path}${listOf(search)}`)}>
      {children}
      {shown !== null && <Decision id={shown} />}
    </SidePanel>
  )
}

/** One decision: as it was answered, and computed again from what was recorded. */
function Decision({ id }: { readonly id: string }): ReactElement {
  const decision = useQuery({
    queryKey: ["decision", id],
    queryFn: ({ signal }) => service.getDecision(id, { signal, explain: true }),
    staleTime: Infinity,
  })
  const [search, setSearch] = useSearchParams()
  const isCompared = search.has("compare")
  const toggle = (): void =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      for (const name of COMPARED) next.delete(name)
      if (!isCompared) next.set("compare", "yes")
      return next
    })
  return (
    <Answer of={decision}>
      {(details) => (
        <>
          <Button variant="default" aria-expanded={isCompared} onClick={toggle}>
            {isCompared ? "End comparison" : "Compare"}
          </Button>
          {isCompared && <Comparison id={id} />}
          <Replayed of={details} />
        </>
      )}
    </Answer>
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
