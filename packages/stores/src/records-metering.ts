import type { Engine, Store } from "./records-engine.ts"
import type { DailyIdentity, Metering, UsageRow } from "./records.ts"

// Engines bound the parameters of a statement (SQLite at 32,766); few sizes also mean few
// statements to prepare.
const rowsPerStatement = 500

/** Usage counts and daily identities over either engine. */
export function sqlMetering({ read, write }: Store, { scrub }: Pick<Engine, "scrub">): Metering {
  return {
    addUsage: (rows) =>
      write(async (db) => {
        for (const some of chunks(summed(rows))) {
          await db
            .insertInto("usage")
            .values(some.map(({ keyId, ...rest }) => ({ key_id: keyId, ...rest })))
            .onConflict((conflict) =>
              conflict.columns(["key_id", "day", "operation"]).doUpdateSet((row) => ({
                count: row("usage.count", "+", row.ref("excluded.count")),
              })),
            )
            .execute()
        }
      }),

    usage: ({ keyId, tenantId, from, to }) =>
      read(async (db) => {
        let query = db
          .selectFrom("usage")
          .select(["key_id as keyId", "day", "operation", "count"])
          .where("day", ">=", from)
          .where("day", "<=", to)
          .orderBy("day")
          .orderBy("key_id")
          .orderBy("operation")
        if (keyId !== undefined) query = query.where("key_id", "=", keyId)
        if (tenantId !== undefined) {
          const keys = db.selectFrom("keys").select("id").where("tenant_id", "=", tenantId)
          query = query.where("key_id", "in", keys)
        }
        return (await query.execute()).map((row) => ({ ...row }))
      }),

    usageOfMonth: (month) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("usage")
          .innerJoin("keys", "keys.id", "usage.key_id")
          .select("keys.tenant_id as tenantId")
          // PostgreSQL adds bigints up to a numeric, which would arrive as a string.
          .select((row) => row.cast<number>(row.fn.sum("usage.count"), "bigint").as("count"))
          .where("usage.day", ">=", `${month}-01`)
          .where("usage.day", "<=", `${month}-31`)
          .where("keys.tenant_id", "is not", null)
          .groupBy("keys.tenant_id")
          .$narrowType<{ tenantId: number }>()
          .execute()
        return new Map(rows.map(({ tenantId, count }) => [tenantId, count]))
      }),

    addDailyIdentities: (rows) =>
      write(async (db) => {
        for (const some of chunks(sortedIdentities(rows))) {
          await db
            .insertInto("daily_identities")
            .values(some.map(({ day, tenantId, tag }) => ({ day, tenant_id: tenantId, tag })))
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        }
      }),

    dailyIdentities: (day, tenantId) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("daily_identities")
          .select(["day", "tenant_id as tenantId", "tag"])
          .where("day", "=", day)
          .$if(tenantId !== undefined, (query) => query.where("tenant_id", "=", tenantId ?? 0))
          .orderBy("tenant_id")
          .orderBy("tag")
          .execute()
        return rows.map((row) => ({ ...row }))
      }),

    async forgetDailyIdentities(day) {
      const { numDeletedRows } = await write((db) =>
        db.deleteFrom("daily_identities").where("day", "<", day).executeTakeFirstOrThrow(),
      )
      // Also when no row was left: a long reader may have kept the last scrubbing from its end.
      await read(scrub)
      return Number(numDeletedRows)
    },
  }
}

// PostgreSQL refuses a statement that updates a row twice, and two processes that lock the same
// rows in different orders wait for each other for ever: so each row once, in one order.
function summed(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>()
  for (const { keyId, day, operation, count } of rows) {
    const id = JSON.stringify([keyId, day, operation])
    sums.set(id, { keyId, day, operation, count: count + (sums.get(id)?.count ?? 0) })
  }
  return inOrder(sums)
}

function sortedIdentities(rows: readonly DailyIdentity[]): DailyIdentity[] {
  return inOrder(
    new Map(
      rows.map((row) => [
        JSON.stringify([row.day, row.tenantId, Buffer.from(row.tag).toString("hex")]),
        row,
      ]),
    ),
  )
}

function inOrder<T>(rows: Map<string, T>): T[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function* chunks<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    yield rows.slice(start, start + rowsPerStatement)
  }
}
