import { Button, CopyButton } from "@mantine/core"
import type { ReactElement } from "react"

/** Copies a text and says so. */
export function Copy(props: { readonly text: string; readonly what: string }): ReactElement {
  return (
    <CopyButton value={props.text} timeout={2000}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy} aria-live="polite">
          {copied ? "Copied" : "Copy"}
          <span className="visually-hidden"> {props.what}</span>
        </Button>
      )}
    </CopyButton>
  )
}
