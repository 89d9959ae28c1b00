import { AssayProblem, AssayUnavailable } from "@assay/client"
import { Alert, Button, Loader } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import { type ReactElement, type ReactNode, useEffect, useRef } from "react"
import { Copy } from "./copy.tsx"

/** The head of a page, and the title of the tab. */
export function PageHead(props: {
  readonly title: string
  readonly children?: ReactNode
}): ReactElement {
  const { title, children } = props
  useEffect(() => {
    document.title = `${title} · Assay`
  }, [title])
  return (
    <div className="page-head">
      <h1>{title}</h1>
      {children}
    </div>
  )
}

/** What a request gave: waiting for it, why it failed, or `children` with it. */
export function Answer<T>(props: {
  readonly of: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}): ReactNode {
  const { of, children } = props
  if (of.data !== undefined) return children(of.data)
  if (of.error !== null) return <Failure error={of.error} retry={() => void of.refetch()} />
  return <Loading />
}

export function Loading(): ReactElement {
  return (
    <p role="status" className="soft">
      <Loader size="xs" /> Loading
    </p>
  )
}

/** What happened, what was not changed, and what to do, with the id of the request to copy. */
export function Failure(props: {
  readonly error: unknown
  /** Asks again: of what was read alone, since a change that was sent twice may be made twice. */
  readonly retry?: (() => void) | undefined
  /** What became of a change that was refused; nothing of it was made unless this says so. */
  readonly kept?: string
}): ReactElement {
  const { error, retry, kept = "Nothing was changed." } = props
  const { title, detail, code, requestId } = said(error, retry === undefined ? kept : null)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <Alert ref={box} color="red" title={title} role="alert" tabIndex={-1} my="md">
      <p>{detail}</p>
      {code !== null && (
        <p>
          <a href={`/problems/${code}`}>What to do about it</a>
        </p>
      )}
      {requestId !== null && (
        <p className="soft">
          Request <code>{requestId}</code> <Copy text={requestId} what="request id" />
        </p>
      )}
      {retry !== undefined && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

export interface Said {
  readonly title: string
  readonly detail: string
  /** Of the page about this problem; null: there is none. */
  readonly code: string | null
  readonly requestId: string | null
}

/** An error in words for a person; `kept` is what became of a change, null where none was asked. */
export function said(error: unknown, kept: string | null): Said {
  if (error instanceof AssayProblem) {
    const { code, status, requestId } = error
    if (code === "unauthenticated")
      return { title: "You are signed out", detail: "Sign in again to go on.", code, requestId }
    const isRole = code === "insufficient-role" || code === "insufficient-scope"
    const title = isRole ? "Your role or your plan does not allow this" : error.title
    return { title, detail: sentences(toldIn(error), outcomeOf(status, kept)), code, requestId }
  }
  if (error instanceof AssayUnavailable)
    return {
      title: "The service did not answer",
      detail:
        kept === null
          ? `${error.message}. Nothing was changed. Try again, or see whether the service runs.`
          : `${error.message}. Whether the change was made is not known: load the page again and look before you repeat it.`,
      code: null,
      requestId: null,
    }
  return {
    title: "This page could not be drawn",
    detail: `${error instanceof Error ? error.message : String(error)}. Nothing was changed by this; load the page again.`,
    code: null,
    requestId: null,
  }
}

/** What the service said, and where the request does not fit. */
function toldIn({ detail, errors }: AssayProblem): string {
  const members = errors.map(({ pointer, detail: why }) => `${pointer.slice(2)} ${why}`)
  return [detail ?? "", ...members].filter((text) => text !== "").join(" ")
}

/** A refusal changes nothing; after a fault nobody knows. */
function outcomeOf(status: number, kept: string | null): string {
  if (kept === null) return ""
  return status < 500 ? kept : "A part of it may have been made: look before you repeat it."
}

/** The service may have said the same already. */
function sentences(told: string, outcome: string): string {
  return told.includes(outcome) ? told : `${told} ${outcome}`.trim()
}

/** Nothing to show: one sentence, one thing to do, and where to read on. */
export function Empty(props: {
  readonly children: ReactNode
  readonly action?: ReactNode
}): ReactElement {
  return (
    <div className="panel">
      <p>{props.children}</p>
      {props.action}
    </div>
  )
}
