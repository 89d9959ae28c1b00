import type { SessionDetails } from "@assay/client"
import { type ComponentType, lazy } from "react"

export interface Page {
  readonly path: string
  readonly title: string
  readonly group: "Assess" | "Evidence" | "Respond" | "Account" | "Service"
  /** Who sees it; others do not know it is there. */
  readonly roles: readonly string[] | "signed-in"
  /** What the plan of the tenant must have for it. */
  readonly scope?: string
  readonly view: ComponentType
}

const owners = ["owner"]
const analysts = ["owner", "analyst"]
const members = ["owner", "analyst", "viewer"]
const administrators = ["administrator"]

/**
 * Every page of the console, in the order of its navigation: each is a folder and an entry here.
 */
export const pages: readonly Page[] = [
  {
    path: "/console/overview",
    title: "Overview",
    group: "Assess",
    roles: [...members, ...administrators],
    view: lazy(() => import("./overview/overview.tsx")),
  },
  {
    path: "/console/playground",
    title: "Playground",
    group: "Assess",
    roles: analysts,
    view: lazy(() => import("./playground/playground.tsx")),
  },
  {
    path: "/console/decisions",
    title: "Decisions",
    group: "Assess",
    roles: members,
    view: lazy(() => import("./decisions/decisions.tsx")),
  },
  {
    path: "/console/review",
    title: "Review",
    group: "Assess",
    roles: members,
    scope: "review:read",
    view: lazy(() => import("./review/review.tsx")),
  },
  {
    path: "/console/batch",
    title: "Batch",
    group: "Assess",
    roles: analysts,
    view: lazy(() => import("./batch/batch.tsx")),
  },
  {
    path: "/console/corpus",
    title: "Corpus",
    group: "Evidence",
    roles: administrators,
    view: lazy(() => import("./corpus/corpus.tsx")),
  },
  {
    path: "/console/sources",
    title: "Sources",
    group: "Evidence",
    roles: [...members, ...administrators],
    view: lazy(() => import("./sources/sources.tsx")),
  },
  {
    path: "/console/lists",
    title: "Lists",
    group: "Evidence",
    roles: administrators,
    view: lazy(() => import("./lists/lists.tsx")),
  },
  {
    path: "/console/subjects",
    title: "Subjects",
    group: "Evidence",
    roles: [...owners, ...administrators],
    scope: "subjects:own",
    view: lazy(() => import("./subjects/subjects.tsx")),
  },
  {
    path: "/console/policy",
    title: "Policy",
    group: "Respond",
    roles: members,
    view: lazy(() => import("./policy/policy.tsx")),
  },
  {
    path: "/console/watch-list",
    title: "Watch list",
    group: "Respond",
    roles: members,
    scope: "watchlist:write",
    view: lazy(() => import("./watch-list/watch-list.tsx")),
  },
  {
    path: "/console/webhooks",
    title: "Webhooks",
    group: "Respond",
    roles: [...owners, ...administrators],
    scope: "webhooks:manage",
    view: lazy(() => import("./webhooks/webhooks.tsx")),
  },
  {
    path: "/console/shared-signals",
    title: "Shared signals",
    group: "Respond",
    roles: owners,
    scope: "webhooks:manage",
    view: lazy(() => import("./shared-signals/shared-signals.tsx")),
  },
  {
    path: "/console/events",
    title: "Events",
    group: "Respond",
    roles: [...owners, ...administrators],
    scope: "events:read",
    view: lazy(() => import("./events/events.tsx")),
  },
  {
    path: "/console/keys",
    title: "Keys",
    group: "Account",
    roles: owners,
    view: lazy(() => import("./keys/keys.tsx")),
  },
  {
    path: "/console/usage",
    title: "Usage",
    group: "Account",
    roles: members,
    view: lazy(() => import("./usage/usage.tsx")),
  },
  {
    path: "/console/members",
    title: "Members",
    group: "Account",
    roles: [...members, ...administrators],
    view: lazy(() => import("./members/members.tsx")),
  },
  {
    path: "/console/audit",
    title: "Audit",
    group: "Account",
    roles: [...owners, ...administrators],
    scope: "audit:read",
    view: lazy(() => import("./audit/audit.tsx")),
  },
  {
    path: "/console/settings",
    title: "Settings",
    group: "Account",
    roles: owners,
    view: lazy(() => import("./settings/settings.tsx")),
  },
  {
    path: "/console/account",
    title: "Your account",
    group: "Account",
    roles: "signed-in",
    view: lazy(() => import("./account/account.tsx")),
  },
  {
    path: "/console/tenants",
    title: "Tenants",
    group: "Service",
    roles: administrators,
    view: lazy(() => import("./tenants/tenants.tsx")),
  },
  {
    path: "/console/sinks",
    title: "Sinks",
    group: "Service",
    roles: administrators,
    view: lazy(() => import("./sinks/sinks.tsx")),
  },
  {
    path: "/console/health",
    title: "Health",
    group: "Service",
    roles: administrators,
    view: lazy(() => import("./health/health.tsx")),
  },
]

type Who = Pick<SessionDetails, "roles" | "scopes" | "tenant_id">

/** The pages of somebody with these roles, as far as the plan of their tenant has them. */
export function pagesOf(who: Who): readonly Page[] {
  return pages.filter((page) => isOfRole(page, who) && isOfPlan(page, who))
}

export function isOfRole({ roles }: Page, { roles: own }: Who): boolean {
  return roles === "signed-in" || roles.some((role) => own.includes(role))
}

/** The service itself has no plan. */
export function isOfPlan(
  { scope }: Pick<Page, "scope">,
  { scopes, tenant_id: tenant }: Who,
): boolean {
  return scope === undefined || tenant === null || scopes.includes(scope)
}
