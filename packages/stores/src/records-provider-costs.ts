import { sql } from "kysely"

import type { Engine, Store, Write } from "./records-engine.ts"

/**
 * One call to a provider, before it is made. Money is in millionths of the unit prices are set in.
 */
export interface ProviderSpend {
  readonly tenantId: number
  readonly provider: string
  readonly micros: number
  /** The most this tenant may spend in the day. */
  readonly tenantCapMicros: number
}

export interface ProviderCost {
  readonly tenantId: number
  readonly provider: string
  readonly calls: number
  readonly micros: number
}

/** The cost of asking providers about phone numbers. Nothing here identifies the number. */
export interface ProviderCostRecords {
  /**
   * Decides for each spend, in order, whether it is allowed on the UTC day (YYYY-MM-DD), and counts
   * the allowed ones: all of them in one transaction, on disk before the answer. A spend is refused
   * exactly if it would take its tenant or all tenants together above their cap, with those before
   * it counted; one that costs nothing never is. That holds for all processes together, whatever
   * caps each of them has. At most 1,000 spends.
   */
  spendProviderCost(
    day: string,
    spends: readonly ProviderSpend[],
    totalCapMicros: number,
  ): Promise<boolean[]>
  /** Added up over the days, both included, by tenant and provider, in that order. */
  providerCosts(of: { from: string; to: string }): Promise<ProviderCost[]>
  /** Deletes the days before `day` and returns how many rows that were. */
  forgetProviderCosts(day: string): Promise<number>
}

/** Costs of providers over either engine. */
export function sqlProviderCosts(
  { read, write }: Store,
  { takeTurn }: Pick<Engine, "takeTurn">,
): ProviderCostRecords {
  return {
    async spendProviderCost(day, spends, totalCapMicros) {
      if (spends.length === 0) return []
      return await write(async (db) => {
        // The caps are over rows that others add to; two that both read before either writes could
        // pass them together.
        await takeTurn(db, "costs")
        const spent = await spentOn(db, day, spends)
        const allowed = spends.map((spend) => takesFrom(spent, spend, totalCapMicros))
        const counted = spends.filter((_, place) => allowed[place])
        if (counted.length > 0) await add(db, day, summed(counted))
        return allowed
      })
    },

    providerCosts: ({ from, to }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("provider_costs")
          .select(["tenant_id as tenantId", "provider"])
          // PostgreSQL adds bigints up to a numeric, which would arrive as a string.
          .select((row) => row.cast<number>(row.fn.sum("calls"), "bigint").as("calls"))
          .select((row) => row.cast<number>(row.fn.sum("micros"), "bigint").as("micros"))
          .where("day", ">=", from)
          .where("day", "<=", to)
          .groupBy(["tenant_id", "provider"])
          .orderBy("tenant_id")
          .orderBy("provider")
          .execute()
        return rows.map((row) => ({ ...row }))
      }),

    async forgetProviderCosts(day) {
      const { numDeletedRows } = await write((db) =>
        db.deleteFrom("provider_costs").where("day", "<", day).executeTakeFirstOrThrow(),
      )
      return Number(numDeletedRows)
    },
  }
}

/** The cost of a day so far: of all tenants, and of each tenant that wants to spend. */
interface Spent {
  total: number
  readonly byTenant: Map<number, number>
}

async function spentOn(db: Write, day: string, spends: readonly ProviderSpend[]): Promise<Spent> {
  const micros = sql<number>`cast(coalesce(sum(micros), 0) as bigint)`.as("micros")
  const ofDay = db.selectFrom("provider_costs").select(micros).where("day", "=", day)
  const { micros: total } = await ofDay.executeTakeFirstOrThrow()
  const tenants = new Set(spends.map(({ tenantId }) => tenantId))
  const rows = await ofDay
    .select("tenant_id as tenantId")
    .where("tenant_id", "in", [...tenants])
    .groupBy("tenant_id")
    .execute()
  return { total, byTenant: new Map(rows.map((row) => [row.tenantId, row.micros])) }
}

/** Whether a spend fits; if so, it counts as spent from then on. */
function takesFrom(spent: Spent, spend: ProviderSpend, totalCapMicros: number): boolean {
  const { tenantId, micros, tenantCapMicros } = spend
  const total = spent.total + micros
  const ofTenant = (spent.byTenant.get(tenantId) ?? 0) + micros
  const fits = total <= totalCapMicros && ofTenant <= tenantCapMicros
  if (!fits && micros > 0) return false
  spent.total = total
  spent.byTenant.set(tenantId, ofTenant)
  return true
}

/** PostgreSQL refuses a statement that updates a row twice. */
function summed(spends: readonly ProviderSpend[]): ProviderCost[] {
  const costs = new Map<string, ProviderCost>()
  for (const { tenantId, provider, micros } of spends) {
    const name = `${tenantId} ${provider}`
    const { calls, micros: before } = costs.get(name) ?? { calls: 0, micros: 0 }
    costs.set(name, { tenantId, provider, calls: calls + 1, micros: before + micros })
  }
  return [...costs.values()]
}

async function add(db: Write, day: string, costs: readonly ProviderCost[]): Promise<void> {
  await db
    .insertInto("provider_costs")
    .values(costs.map(({ tenantId, ...rest }) => ({ day, tenant_id: tenantId, ...rest })))
    .onConflict((conflict) =>
      conflict.columns(["day", "tenant_id", "provider"]).doUpdateSet((row) => ({
        calls: row("provider_costs.calls", "+", row.ref("excluded.calls")),
        micros: row("provider_costs.micros", "+", row.ref("excluded.micros")),
      })),
    )
    .execute()
}
