import type { RequestKind } from "@assay/core/contract"

/** Asked by supervisors and monitoring, which ask more often the worse things are. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])
/** No route of ours: paths that nobody offers, and bytes that never became a request. */
const NO_ROUTE: ReadonlySet<string> = new Set(["unmatched", "unread"])
const SCORES: ReadonlySet<string> = new Set([
  "/api/v1/risk/score",
  "/api/v1/risk/score/batch",
  "/api/v1/phone-risk",
  "/api/v1/phone-risk/batch",
])
const OPERATIONS = ["/api/", "/ssf/", "/.well-known/"]

/** As what the error budget counts a request, by the pattern of its route; null: not at all. */
export function requestKind(route: string): RequestKind | null {
  if (SCORES.has(route)) return "score"
  if (PROBES.has(route) || NO_ROUTE.has(route)) return null
  return OPERATIONS.some((prefix) => route.startsWith(prefix)) ? "api" : "pages"
}
