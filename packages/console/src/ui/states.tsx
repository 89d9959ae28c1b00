import { AssayProblem } from "@assay/client"
import { Alert, Button, Loader } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import { type ReactElement, type ReactNode, useEffect, useRef } from "react"
import { Copy } from "./copy.tsx"
import { said } from "./said.ts"

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
    <p role="status" className="soft loading">
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
      {retry !== undefined && mayHelp(error) && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** Whether asking again can help: what was refused once is refused again, unless for its rate. */
const mayHelp = (error: unknown): boolean =>
  !(error instanceof AssayProblem) || error.status >= 500 || error.status === 429

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
