import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { service } from "./service.ts"

/** Those that have no id. */
const ALONE: Readonly<Record<string, string>> = {
  operator: "an operator, by a command",
  start: "the start of the service",
}

const KINDS: Readonly<Record<string, string>> = {
  shell: "Shell user",
  signup: "Sign-up",
  "review-view": "Saved view",
  "decision-view": "Saved view",
}

/** Who did something, or whom it was done to: a member by name, others in words with their id. */
export function Actor({ of }: { readonly of: string }): ReactElement {
  const { data } = useQuery({
    queryKey: ["members"],
    queryFn: ({ signal }) => service.members.list({ signal }),
  })
  const [what = "", ...rest] = of.split(":")
  const id = rest.join(":")
  const name =
    what === "person"
      ? data?.members.find(({ person_id: person }) => person === id)?.name
      : undefined
  if (name !== undefined) return <span title={id}>{name}</span>
  if (id === "") return <span className="actor">{ALONE[what] ?? what}</span>
  return (
    <>
      <span className="capital">{KINDS[what] ?? what}</span> <code>{id}</code>
    </>
  )
}
