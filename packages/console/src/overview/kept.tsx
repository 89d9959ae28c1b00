import type { ReactElement } from "react"

/** Rounded down: what failed for a moment is never shown as whole. */
export const percent = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 3,
  roundingMode: "floor",
})

/** Whether an aim is kept: by a shape and a colour. */
export function Kept(props: { readonly isKept: boolean; readonly children: string }): ReactElement {
  return (
    <span className="band" data-band={props.isKept ? "low" : "critical"}>
      <span aria-hidden="true">{props.isKept ? "●" : "■"}</span> {props.children}
      <span className="visually-hidden">{props.isKept ? ", as aimed" : ", missed"}</span>
    </span>
  )
}
