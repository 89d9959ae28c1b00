import { Alert } from "@mantine/core"
import type { ReactElement, ReactNode } from "react"
import { Copy } from "./copy.tsx"

/** Something that is shown this once, to be copied. */
export function ShownOnce(props: {
  readonly title: string
  readonly text: string
  readonly what: string
  readonly children?: ReactNode
}): ReactElement {
  const { title, text, what, children } = props
  return (
    <Alert color="teal" title={title} my="md" role="status">
      <pre className="code whole">{text}</pre>
      <p>
        <Copy text={text} what={what} /> It is shown this once.
      </p>
      {children}
    </Alert>
  )
}
