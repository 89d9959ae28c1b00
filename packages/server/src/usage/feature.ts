import { USAGE_DAYS_MAX, UsageQuery, UsageReport } from "@assay/core/contract"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { Metering } from "@assay/stores/records"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"
import { Problem } from "../base/problem.ts"
import { DAY_MS, dayOf } from "@assay/runtime/time"

const schema = {
  operationId: "getUsage",
  summary: "See what your keys have looked up",
  description: "Lookups are here within some seconds of their answer. Asking is no lookup itself.",
  tags: ["Usage"],
  security: [{ apiKey: [] }],
  querystring: UsageQuery,
  response: {
    200: named(UsageReport, "Lookups of the tenant's keys, by day, key and operation."),
    ...failures(...FAILURES_OF_READING),
  },
}

export interface UsageServices {
  /** What was counted and written. */
  readonly metering: Pick<Metering, "usage">
  readonly now: () => number
}

export const usage: Feature<UsageServices> = { routes: usageRoutes }

/** What a tenant's own keys were answered. */
function usageRoutes(app: App, { metering, now }: UsageServices): void {
  /** What counts toward the quota of the present month. */
  const usedNow = async (tenantId: number): Promise<number> => {
    const today = dayOf(now())
    const month = { from: `${today.slice(0, 8)}01`, to: today }
    const rows = await metering.usage({ tenantId, ...month })
    return rows.reduce((sum, { count }) => sum + count, 0)
  }

  app.get("/api/v1/usage", { schema }, async ({ query, caller }) => {
    const { tenantId, plan } = caller
    if (tenantId === null) throw new Problem("insufficient-scope", "Usage takes a key of a tenant.")
    const to = query.to ?? dayOf(now())
    const from = query.from ?? `${to.slice(0, 8)}01`
    refuseOddDays(from, to)
    const rows = await metering.usage({ tenantId, from, to })
    const perMonth = plan.limits?.lookupsPerMonth ?? null
    return {
      from,
      to,
      lookups_per_month: perMonth,
      lookups_left: perMonth === null ? null : Math.max(0, perMonth - (await usedNow(tenantId))),
      total: rows.reduce((sum, { count }) => sum + count, 0),
      usage: rows.map(({ day, keyId, operation, count }) => ({
        day,
        key_id: keyId,
        operation,
        count,
      })),
    }
  })
}

function refuseOddDays(from: string, to: string): void {
  const refuse = (member: "from" | "to", detail: string): never => {
    throw new Problem("invalid-request", "The days asked for are no days of a report.", {
      errors: [{ pointer: `#/${member}`, detail }],
    })
  }
  for (const [member, day] of [
    ["from", from],
    ["to", to],
  ] as const)
    if (!isDay(day)) refuse(member, "must be a day of the calendar, such as 2026-03-01")
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) refuse("from", "must not be after `to`")
  if (days > USAGE_DAYS_MAX) refuse("from", `must be within ${USAGE_DAYS_MAX} days before \`to\``)
}

/** Date.parse reads the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && dayOf(ms) === text
}
