import type { ReactElement, ReactNode } from "react"
import { Link, useSearchParams } from "wouter"
import { linkId } from "../ui/opened.ts"
import { listOf } from "./decision-address.ts"

/** Opens a decision beside the list at `path`, which stays as it is. */
export function DecisionLink(props: {
  readonly path: string
  readonly id: string
  readonly children: ReactNode
}): ReactElement {
  const { path, id, children } = props
  const [search] = useSearchParams()
  return (
    <Link href={`${path}/${id}${listOf(search)}`} id={linkId(id)} className="decision-id">
      {children}
    </Link>
  )
}
