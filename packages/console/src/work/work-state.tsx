import { Button, Progress } from "@mantine/core"
import { type ReactElement, useEffect } from "react"
import { useChange } from "../ui/change.ts"
import { Told } from "../ui/said.ts"
import { Failure } from "../ui/states.tsx"
import type { Lost, Work } from "./kinds.ts"
import { NOUNS, percentOf, progressOf, titleOf } from "./words.ts"
import { seeWork, stopWork } from "./work.ts"

/** How far work is and how it ended, on its own page: whoever sees it there needs no tray. */
export function WorkState({ of }: { readonly of: Work | Lost }): ReactElement {
  const { id, state } = of
  const isNews = state !== "running" && state !== "lost" && !of.isSeen
  useEffect(() => {
    // Where that fails, trays show it once more.
    if (isNews) seeWork(id).catch(() => undefined)
  }, [isNews, id])
  const isSummedUp = state !== "lost" && of.kind !== "batch" && of.comparison.summary !== null
  return (
    <>
      {!isSummedUp && (
        <>
          <WorkProgress of={of} />
          <p role="status">{progressOf(of, Date.now())}</p>
        </>
      )}
      {state === "failed" && of.failure !== null && <Failure error={new Told(of.failure)} />}
      <StopWork of={of} />
    </>
  )
}

export function WorkProgress({ of }: { readonly of: Work | Lost }): ReactElement | null {
  const percent = of.state === "lost" ? null : percentOf(of)
  return percent === null ? null : <Progress value={percent} aria-label={titleOf(of)} />
}

export function StopWork(props: {
  readonly of: Work | Lost
  /** Where what it stops stands beside it. */
  readonly isShort?: boolean
}): ReactElement | null {
  const { of, isShort = false } = props
  const stop = useChange((id: string) => stopWork(id), "work")
  if (of.state !== "running") return null
  const label = `Stop the ${NOUNS[of.kind]}`
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={label}
        loading={stop.isPending}
        onClick={() => stop.mutate(of.id)}
      >
        {isShort ? "Stop" : label}
      </Button>
      {stop.error !== null && <Failure error={stop.error} />}
    </>
  )
}
