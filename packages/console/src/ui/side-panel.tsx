import "@mantine/core/styles/Drawer.css"
import { Drawer } from "@mantine/core"
import { type ReactElement, type ReactNode, useEffect } from "react"

/** Light enough for the list behind it to be read. */
const SHADE = { backgroundOpacity: 0.35 }
/** Motion takes less than 150 ms, and none where a person asked for none. */
const SLIDE = { duration: 120 }

/**
 * Something of a list, opened beside it. Escape closes it; the list stays where it was, and whoever
 * closes it says where the focus goes.
 */
export function SidePanel(props: {
  readonly title: string
  readonly isOpen: boolean
  readonly close: () => void
  readonly children: ReactNode
}): ReactElement {
  const { title, isOpen, close, children } = props
  return (
    <Drawer
      opened={isOpen}
      onClose={() => {
        if (!isBehind()) close()
      }}
      position="right"
      size="56rem"
      title={title}
      returnFocus={false}
      overlayProps={SHADE}
      transitionProps={SLIDE}
      closeButtonProps={{ "aria-label": "Close" }}
      classNames={{ title: "side-panel-title", body: "side-panel" }}
    >
      {isOpen && <TabTitle text={title} />}
      {children}
    </Drawer>
  )
}

/** Whether the focus is in a dialog over the panel, such as the palette: Escape is for that one. */
function isBehind(): boolean {
  const dialog = document.activeElement?.closest("[role=dialog]") ?? null
  return dialog !== null && dialog.querySelector(".side-panel") === null
}

/** The title of the tab, for as long as this is drawn. */
function TabTitle({ text }: { readonly text: string }): null {
  useEffect(() => {
    const before = document.title
    document.title = `${text} · Assay`
    return () => {
      document.title = before
    }
  }, [text])
  return null
}
