import type { Policy, PolicyDocument } from "@assay/client"
import { useDebouncedValue } from "@mantine/hooks"
import { useEffect, useState } from "react"
import { useSearchParams } from "wouter"

/** The costs that a tenant may price for itself. */
export const COSTS = ["loss", "challenge", "wrong_block"] as const
export type CostName = (typeof COSTS)[number]

/** A slider moves often; the address and the service follow once it rests. */
const REST_MS = 200
/** In the address: the cost is the model's, whatever the policy that acts says. */
const OF_MODEL = "model"

export function costsOf(policy: PolicyDocument): Readonly<Partial<Record<CostName, number>>> {
  return policy["costs"] ?? {}
}

/** The policy with one cost set; null leaves it to the model. */
export function withCost(
  policy: PolicyDocument,
  name: CostName,
  value: number | null,
): PolicyDocument {
  const { [name]: _before, ...others } = costsOf(policy)
  const own = value === null ? others : { ...others, [name]: value }
  const { costs: _costs, ...rest } = policy
  return Object.keys(own).length === 0 ? rest : { ...rest, costs: own }
}

export function isConfirmedFirst(policy: PolicyDocument): boolean {
  return policy["confirmed_before_block"] === true
}

export function withConfirmedFirst(policy: PolicyDocument, isSet: boolean): PolicyDocument {
  const { confirmed_before_block: _before, ...rest } = policy
  return isSet ? { ...rest, confirmed_before_block: true } : rest
}

/** A proposal that begins as the policy that acts, and whose differences stand in the address. */
export function useProposal({ policy: acting }: Policy): {
  readonly proposed: PolicyDocument
  /** The same once it rests. */
  readonly rested: PolicyDocument
  readonly propose: (policy: PolicyDocument) => void
  readonly isChanged: boolean
} {
  const [search, setSearch] = useSearchParams()
  const [proposed, propose] = useState(() => fromAddress(acting, search))
  const [rested] = useDebouncedValue(proposed, REST_MS)
  const address = differences(acting, rested)
  // Only where the address is another: the setter itself is new at each drawing.
  useEffect(() => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        for (const name of [...COSTS, "confirmed"]) next.delete(name)
        for (const [name, value] of new URLSearchParams(address)) next.set(name, value)
        return next
      },
      { replace: true },
    )
  }, [address])
  const isChanged = differences(acting, proposed) !== ""
  return { proposed, rested, propose, isChanged }
}

function fromAddress(acting: PolicyDocument, search: URLSearchParams): PolicyDocument {
  let policy = acting
  for (const name of COSTS) {
    const text = search.get(name)
    const value = Number(text)
    if (text === OF_MODEL) policy = withCost(policy, name, null)
    else if (text !== null && value > 0 && Number.isFinite(value))
      policy = withCost(policy, name, value)
  }
  const confirmed = search.get("confirmed")
  return confirmed === null ? policy : withConfirmedFirst(policy, confirmed === "true")
}

/** What a proposal has otherwise, as a query. */
function differences(acting: PolicyDocument, proposed: PolicyDocument): string {
  const query = new URLSearchParams()
  for (const name of COSTS) {
    const value = costsOf(proposed)[name]
    if (value !== costsOf(acting)[name]) query.set(name, String(value ?? OF_MODEL))
  }
  if (isConfirmedFirst(acting) !== isConfirmedFirst(proposed))
    query.set("confirmed", String(isConfirmedFirst(proposed)))
  return query.toString()
}
