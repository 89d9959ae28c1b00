import type { Write } from "./records-engine.ts"

/** Who changes something, and when; both go into the audit trail. */
export interface Change {
  at: number
  actor: string
}

/** Writes into the audit trail, in the transaction of the change it describes. */
export async function note(
  db: Write,
  { at, actor }: Change,
  action: string,
  subject: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await db
    .insertInto("audit")
    .values({ at, actor, action, subject, detail: JSON.stringify(detail) })
    .execute()
}
