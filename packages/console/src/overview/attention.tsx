import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { ReactElement, ReactNode } from "react"
import { Link } from "wouter"
import { service } from "../ui/service.ts"
import { Failure, Loading } from "../ui/states.tsx"
import { relative } from "../ui/relative.ts"
import { useBudget } from "./budget.tsx"
import { useSources } from "./freshness.tsx"

/** As many as are counted one by one. */
const WAITING_MAX = 100
/** Leaks are traded within weeks: a corpus that nobody feeds for longer misses them. */
const STALE_MS = 30 * 86_400_000

/** What somebody should see to, of all that the service knows. */
export function Attention(props: {
  readonly isMember: boolean
  /** Whether the plan of the tenant has a queue for analysts. */
  readonly hasReviews: boolean
  /** Whether they see to webhooks, of the tenant or of the service. */
  readonly hasWebhooks: boolean
  readonly isAdministrator: boolean
}): ReactElement {
  const { isMember, hasReviews, hasWebhooks, isAdministrator } = props
  const waiting = useQuery({
    queryKey: ["review", "count"],
    queryFn: ({ signal }) => service.review.list({ limit: String(WAITING_MAX) }, { signal }),
    enabled: hasReviews,
  })
  const sources = useSources(isMember)
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => service.service.health({ signal }),
    enabled: isAdministrator,
  })
  const sinks = useQuery({
    queryKey: ["sinks"],
    queryFn: ({ signal }) => service.service.sinks({ signal }),
    enabled: isAdministrator,
  })
  const signUps = useQuery({
    queryKey: ["sign-ups"],
    queryFn: ({ signal }) => service.tenants.signUps({ signal }),
    enabled: isAdministrator,
  })
  const webhooks = useQuery({
    queryKey: ["webhooks"],
    queryFn: ({ signal }) => service.webhooks.list({ signal }),
    enabled: hasWebhooks,
  })
  const levels = useQuery({
    queryKey: ["levels", "24h"],
    queryFn: ({ signal }) => service.service.levels("24h", { signal }),
  })
  const budget = useBudget(isAdministrator)
  const asked: UseQueryResult[] = [
    levels,
    ...(hasReviews ? [waiting] : []),
    ...(hasWebhooks ? [webhooks] : []),
    ...(isMember ? [sources] : []),
    ...(isAdministrator ? [health, sinks, signUps, budget] : []),
  ]
  const failed = asked.find(({ error }) => error !== null)
  if (failed !== undefined)
    return <Failure error={failed.error} retry={() => void failed.refetch()} />
  if (asked.some(({ isPending }) => isPending)) return <Loading />

  const items: ReactNode[] = []
  for (const { name, state, detail } of health.data?.findings ?? [])
    if (state !== "ok")
      items.push(
        <Link href="/console/health">
          {state === "fault" ? "Fault" : "Warning"} of {name}: {detail}
        </Link>,
      )
  const share = levels.data?.availability.share ?? null
  if (share !== null && share < (levels.data?.availability.objective ?? 0))
    items.push("The service was available for less of the last 24 hours than it aims at.")
  if ((budget.data?.budget.left ?? 0) < 0)
    items.push("More requests of this month failed than the error budget allows.")
  const reviews = waiting.data?.reviews.length ?? 0
  if (reviews > 0)
    items.push(
      <Link href="/console/review">
        {reviews === WAITING_MAX ? `${reviews} decisions or more wait` : waits(reviews, "decision")}{" "}
        for an analyst
      </Link>,
    )
  // One that somebody disabled by hand is as it should be.
  const failing = webhooks.data?.webhooks.filter(
    ({ disabled }) => disabled !== null && disabled.reason !== "by-hand",
  )
  const disabled = failing?.length ?? 0
  if (disabled > 0)
    items.push(
      <Link href="/console/webhooks">
        {disabled === 1 ? "1 webhook is" : `${disabled} webhooks are`} disabled, since nothing
        arrived there
      </Link>,
    )
  for (const { name, fault } of sinks.data?.sinks ?? [])
    if (fault !== null)
      items.push(<Link href="/console/sinks">The sink {name} does not take events</Link>)
  const newest = sources.data?.newest ?? null
  if (isMember && newest === null)
    items.push("Nothing was imported yet: scores rest on lists and numbering plans alone.")
  else if (newest !== null && Date.now() - Date.parse(newest.imported_at) > STALE_MS)
    items.push(
      <Link href="/console/sources">The newest import was {relative(newest.imported_at)}</Link>,
    )
  const waitingToJoin = signUps.data?.signups.length ?? 0
  if (waitingToJoin > 0)
    items.push(
      <Link href="/console/tenants">{waits(waitingToJoin, "sign-up")} for an administrator</Link>,
    )
  if (items.length === 0) return <p>Nothing. No fault is known, and nobody waits.</p>
  return (
    <ul>
      {items.map((item, n) => (
        <li key={n}>{item}</li>
      ))}
    </ul>
  )
}

const waits = (n: number, what: string): string =>
  n === 1 ? `1 ${what} waits` : `${n} ${what}s wait`
