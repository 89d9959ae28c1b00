import { type DragEvent, type ReactElement, type ReactNode, useState } from "react"
import "./drop-zone.css"

/** Takes a file that is dropped on it. Inside is what those use who choose one. */
export function DropZone(props: {
  readonly onFile: (file: File) => void
  readonly children: ReactNode
}): ReactElement {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) props.onFile(file)
  }
  return (
    <div
      className="drop-zone"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {props.children}
    </div>
  )
}
