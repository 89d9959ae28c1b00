import type { Engine, Write } from "../records-engine.ts"

// Many rows a statement, because each is a way to the server and back.

export const insertReviews: Engine["insertReviews"] = async (db, rows) => {
  if (rows.length === 0) return
  await db
    .insertInto("reviews")
    .values(rows)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute()
}

export const insertEvents: Engine["insertEvents"] = async (db, rows) => {
  const erased = await erasedAmong(
    db,
    rows.flatMap(({ identity_key: key }) => key ?? []),
  )
  const kept = rows.filter(({ identity_key: key }) => key === null || !erased.has(nameOf(key)))
  if (kept.length === 0) return []
  return await db
    .insertInto("events")
    .values(kept)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning(["seq", "tenant_id", "kind", "at", "identity_key"])
    .execute()
}

async function erasedAmong(db: Write, keys: readonly Uint8Array[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await db
    .selectFrom("tombstones")
    .select("identity_key")
    .where("identity_key", "in", keys)
    .execute()
  return new Set(rows.map(({ identity_key: key }) => nameOf(key)))
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString("hex")
}
