import type { RecordsUse } from "./database.ts"
import { sqlAccounts } from "./records-accounts.ts"
import { sqlAudit } from "./records-audit.ts"
import { sqlDeliveries } from "./records-deliveries.ts"
import { sqlDomainWatches } from "./records-domain-watches.ts"
import { sqlEvents } from "./records-events.ts"
import { type Engine, explained, notingTurns, storeOf } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { sqlEvidence } from "./records-evidence.ts"
import { sqlFeedback } from "./records-feedback.ts"
import { sqlInvitations } from "./records-invitations.ts"
import { sqlMetering } from "./records-metering.ts"
import { fencedBy } from "./lease-in-force.ts"
import { sqlNodes } from "./records-nodes.ts"
import { sqlOutside } from "./records-outside.ts"
import { sqlPeople } from "./records-people.ts"
import { sqlPolicies } from "./records-policies.ts"
import { sqlProviderCosts } from "./records-provider-costs.ts"
import { sqlSessions } from "./records-sessions.ts"
import { sqlSignUps } from "./records-signups.ts"
import { sqlReviews } from "./records-reviews.ts"
import { sqlSharedSignals } from "./records-shared-signals.ts"
import { sqlSinks } from "./records-sinks.ts"
import { sqlShadows } from "./records-shadows.ts"
import { sqlSubjects } from "./records-subjects.ts"
import { sqlViews } from "./records-views.ts"
import { sqlWatch } from "./records-watch.ts"
import { sqlWebhooks } from "./records-webhooks.ts"
import { migrateRecords, refuseOtherFormats } from "./records-migrate.ts"
import type { Records } from "./records.ts"

/** The records over an engine just opened, which is closed again if they cannot be used. */
export async function openSqlRecords(
  engine: Engine,
  onEvents?: RecordsUse["onEvents"],
): Promise<Records> {
  try {
    await explained(engine, () => refuseOtherFormats(engine, engine.db))
  } catch (error) {
    await engine.db.destroy()
    throw error
  }
  return sqlRecords(notingTurns(engine), onEvents)
}

function sqlRecords(engine: Engine, onEvents: RecordsUse["onEvents"]): Records {
  const store = storeOf(engine, onEvents)
  const { read, write } = store
  const records: Records = {
    ...sqlAccounts(store, engine),
    ...sqlAudit(store),
    ...sqlPeople(store),
    ...sqlInvitations(store),
    ...sqlSessions(store),
    ...sqlSignUps(store, engine),
    ...sqlOutside(store),
    ...sqlPolicies(store),
    ...sqlShadows(store),
    ...sqlMetering(store, engine),
    ...sqlFeedback(store, engine),
    ...sqlReviews(store, engine),
    ...sqlViews(store),
    ...sqlEvents(store, engine),
    ...sqlWebhooks(store, engine),
    ...sqlDeliveries(store, engine),
    ...sqlWatch(store, engine),
    ...sqlDomainWatches(store),
    ...sqlSharedSignals(store, engine),
    ...sqlSinks(store),
    ...sqlSubjects(store, engine),
    ...sqlEvidence(store, engine),
    ...sqlProviderCosts(store, engine),
    ...sqlNodes(store, engine),

    migrate: () => explained(engine, () => migrateRecords(engine)),

    async checkKeyCheckValue(value) {
      const stored = (): Promise<string | undefined> =>
        read(async (db) => {
          const query = db.selectFrom("meta").select("value").where("name", "=", "key_check_value")
          return (await query.executeTakeFirst())?.value
        })
      if ((await stored()) === undefined) {
        await write((db) =>
          db
            .insertInto("meta")
            .values({ name: "key_check_value", value })
            .onConflict((conflict) => conflict.doNothing())
            .execute(),
        )
      }
      // Read back, since another process may have been first, with another secret.
      if ((await stored()) !== value)
        throw new RecordsError("wrong-secret", "These records were made with another master secret")
    },

    async ping() {
      await read((db) =>
        db
          .selectFrom("meta")
          .select("value")
          .where("name", "=", "format")
          .executeTakeFirstOrThrow(),
      )
    },

    underLease: (lease, method, args) =>
      fencedBy(lease, () =>
        (records[method] as (...given: typeof args) => Promise<unknown>)(...args),
      ),

    close: () => engine.db.destroy(),
  }
  return records
}
