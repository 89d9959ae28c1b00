import type { Engine, Write } from "./records-engine.ts"

/**
 * Holds the deliveries of a webhook, or of some events, before they are deleted: who notes an
 * attempt of one is waited for, and who comes later finds none. An attempt that is noted between
 * two statements would otherwise refer to a delivery that is gone.
 */
export async function holdDeliveries(
  db: Write,
  forUpdate: Engine["forUpdate"],
  of: { readonly webhookId: string } | { readonly seqs: readonly number[] },
): Promise<void> {
  const all = db.selectFrom("deliveries").select("id")
  const some =
    "seqs" in of
      ? all.where("event_seq", "in", of.seqs)
      : all.where("webhook_id", "=", of.webhookId)
  // In one order, so that no two who hold several wait for each other.
  await db
    .selectFrom(some.orderBy("id").modifyEnd(forUpdate).as("held"))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .execute()
}
