import { Button } from "@mantine/core"
import type { ReactElement, ReactNode } from "react"
import { useChange } from "../ui/change.ts"
import { Moment } from "../ui/time.tsx"
import type { BackTest, Lost, ShadowReport } from "../work/kinds.ts"
import { NOUNS, titleOf } from "../work/words.ts"
import { WorkState } from "../work/work-state.tsx"
import { discardWork } from "../work/work.ts"
import { ComparisonTable } from "./comparison.tsx"

/** A comparison that runs, or how it ended and what came of it. */
export function Compared(props: {
  readonly of: BackTest | ShadowReport | Lost
  readonly children?: ReactNode
}): ReactElement {
  const { of, children } = props
  const discard = useChange(() => discardWork(of.id), "work")
  return (
    <section aria-label={titleOf(of)}>
      <h3>{titleOf(of)}</h3>
      {children}
      <WorkState of={of} />
      {of.state !== "lost" && <ComparisonTable of={of.comparison} />}
      <p className="soft">
        Begun <Moment at={new Date(of.begunAtMs).toISOString()} />
      </p>
      {of.state !== "running" && (
        <Button
          size="compact-sm"
          variant="default"
          loading={discard.isPending}
          onClick={() => discard.mutate(undefined)}
        >
          Discard the {NOUNS[of.kind]}
        </Button>
      )}
    </section>
  )
}
