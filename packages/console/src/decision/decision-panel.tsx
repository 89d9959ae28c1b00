import type { DecisionDetails } from "@assay/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { EmailCard, PhoneCard } from "../card/card.tsx"
import { service } from "../ui/service.ts"
import { SidePanel } from "../ui/side-panel.tsx"
import { Answer } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Comparison } from "./comparison.tsx"
import "./decision.css"
import { COMPARED, listOf, linkId } from "./decision-address.ts"

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
  // While the panel slides out it shows what it showed.
  const [shown, setShown] = useState(id)
  if (id !== null && id !== shown) setShown(id)
  const last = useRef(id)
  useEffect(() => {
    if (id === null && last.current !== null) focusLink(last.current)
    last.current = id
  }, [id])
  return (
    <SidePanel title="Decision" isOpen={id !== null} close={() => go(`${path}${listOf(search)}`)}>
      {children}
      {shown !== null && <Decision id={shown} />}
    </SidePanel>
  )
}

/** A decision that was opened by its address may stand on another page of the list. */
function focusLink(id: string): void {
  const target = document.getElementById(linkId(id)) ?? document.querySelector(".table-wrap")
  if (target instanceof HTMLElement) target.focus()
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
