import type { EventKind } from "@assay/core/contract"
import type { Selectable } from "kysely"

import { holdDeliveries } from "./hold-deliveries.ts"
import { type Change, note } from "./records-audit.ts"
import type { Database, Engine, Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** An address that is told of events of its owner. */
export interface Webhook {
  readonly id: string
  /** null: of the service itself. */
  readonly tenantId: number | null
  readonly url: string
  readonly description: string
  readonly kinds: readonly EventKind[]
  /** What it is signed by. */
  readonly schemes: readonly SignatureScheme[]
  readonly createdAt: number
  readonly changedAt: number
  /** null while it is enabled. */
  readonly disabled: Disabled | null
}

/** Why a webhook is told nothing. */
export interface Disabled {
  readonly at: number
  /** By its owner, by the answer 410, or because a delivery was given up and none succeeded. */
  readonly reason: "by-hand" | "gone" | "failing"
  /** The delivery it was disabled at; null where somebody did it by hand. */
  readonly eventId: string | null
  readonly kind: EventKind | null
  /** The last answer: its status, or why there was none. */
  readonly status: number | null
  readonly error: string | null
}

export type SignatureScheme = "v1" | "v1a"

/** What attempts are signed with. */
export interface WebhookSecret {
  readonly id: string
  readonly webhookId: string
  readonly scheme: SignatureScheme
  /** Encrypted; this port does not look into it. */
  readonly sealed: Uint8Array
  /** Of a pair of keys. */
  readonly publicKey: Uint8Array | null
  readonly createdAt: number
  /** null: until it is rotated. */
  readonly expiresAt: number | null
}

export type NewSecret = Pick<WebhookSecret, "id" | "scheme" | "sealed" | "publicKey">

export interface NewWebhook extends Change {
  readonly id: string
  readonly tenantId: number | null
  readonly url: string
  readonly description: string
  readonly kinds: readonly EventKind[]
  readonly secrets: readonly NewSecret[]
}

/** Which webhook, of whom. */
export interface WebhookPlace {
  readonly tenantId: number | null
  readonly id: string
}

export interface WebhookChange extends Change, WebhookPlace {
  readonly tenantId: number | null
  readonly url?: string
  readonly description?: string
  readonly kinds?: readonly EventKind[]
  readonly enabled?: boolean
}

export interface SecretRotation extends Change, WebhookPlace {
  readonly tenantId: number | null
  readonly secret: NewSecret
  /** Until when the secrets of the same scheme that live now go on signing beside it. */
  readonly overlapUntil: number
}

/** Of each owner. */
export const WEBHOOKS_MAX = 50

/** Every change is noted in the audit trail. The URL is not: its path or query may be a secret. */
export interface WebhookRecords {
  /** Throws `name-taken` where the owner has too many. */
  createWebhook(webhook: NewWebhook): Promise<Webhook>
  /** An owner's, the oldest first. */
  webhooks(of: { tenantId: number | null }): Promise<Webhook[]>
  webhook(place: WebhookPlace): Promise<Webhook | null>
  /**
   * One that is disabled has nothing pending: its deliveries are dead, until they are replayed.
   * null where the owner has no such webhook.
   */
  changeWebhook(change: WebhookChange): Promise<Webhook | null>
  /** With its secrets and all that was delivered to it. False where there is none. */
  deleteWebhook(of: Change & WebhookPlace): Promise<boolean>
  /** False where the owner has no such webhook. */
  rotateSecret(rotation: SecretRotation): Promise<boolean>
  /** Those that live, the newest first. */
  liveSecrets(of: { webhookId: string; at: number }): Promise<WebhookSecret[]>
  /** Public keys of all owners' webhooks that live, the oldest first. */
  webhookKeys(at: number): Promise<{ id: string; publicKey: Uint8Array }[]>
  /** Of any owner. */
  hasEnabledWebhook(): Promise<boolean>
}

/** Webhooks over either engine. */
export function sqlWebhooks(
  { read, write }: Store,
  { takeTurn, forUpdate }: Pick<Engine, "takeTurn" | "forUpdate">,
): WebhookRecords {
  return {
    createWebhook: (webhook) =>
      write(async (db) => {
        const { id, tenantId, at } = webhook
        // Two that are created at once must see each other to be counted.
        await takeTurn(db, "events")
        const { count } = await ownedBy(db, tenantId)
          .select((row) => row.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow()
        if (count >= WEBHOOKS_MAX)
          throw new RecordsError("name-taken", "The owner has as many webhooks as there may be")
        const row = await db
          .insertInto("webhooks")
          .values({
            id,
            tenant_id: tenantId,
            url: webhook.url,
            description: webhook.description,
            kinds: kindsText(webhook.kinds),
            created_at: at,
            changed_at: at,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        for (const secret of webhook.secrets) await addSecret(db, id, secret, at)
        const { kinds } = webhook
        await note(db, webhook, "webhook.create", `webhook:${id}`, { kinds })
        return webhookOf(
          row,
          webhook.secrets.map(({ scheme }) => scheme),
        )
      }),

    webhooks: ({ tenantId }) =>
      read(async (db) => {
        const query = ownedBy(db, tenantId).selectAll().orderBy("created_at").orderBy("id")
        const rows = await query.execute()
        const schemes = await schemesOf(
          db,
          rows.map(({ id }) => id),
        )
        return rows.map((row) => webhookOf(row, schemes.get(row.id)))
      }),

    webhook: ({ tenantId, id }) =>
      read(async (db) => {
        const query = ownedBy(db, tenantId).selectAll().where("id", "=", id)
        const row = await query.executeTakeFirst()
        return row === undefined ? null : webhookOf(row, (await schemesOf(db, [id])).get(id))
      }),

    changeWebhook: (change) =>
      write(async (db) => {
        const { tenantId, id, at, url, description, kinds, enabled } = change
        // Events that are being added would still make deliveries to one that is disabled.
        await takeTurn(db, "events")
        const before = await ownedBy(db, tenantId)
          .selectAll()
          .where("id", "=", id)
          .executeTakeFirst()
        if (before === undefined) return null
        const disables = enabled === false && before.disabled_at === null
        const enables = enabled === true && before.disabled_at !== null
        const row = await db
          .updateTable("webhooks")
          .set({
            ...(url !== undefined && { url }),
            ...(description !== undefined && { description }),
            ...(kinds !== undefined && { kinds: kindsText(kinds) }),
            ...(enables && { disabled_at: null, disabled: null, failing_since: null }),
            changed_at: at,
          })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow()
        const disabled: Disabled = { ...BY_HAND, at }
        if (disables) await disable(db, id, disabled)
        await note(db, change, "webhook.change", `webhook:${id}`, {
          ...(url !== undefined && { url: true }),
          ...(description !== undefined && { description: true }),
          ...(kinds !== undefined && { kinds }),
          ...(enabled !== undefined && { enabled }),
        })
        const changed = webhookOf(row, (await schemesOf(db, [id])).get(id))
        return disables ? { ...changed, disabled } : changed
      }),

    deleteWebhook: (of) =>
      write(async (db) => {
        const { id } = of
        await takeTurn(db, "events")
        if (!(await isOwned(db, of))) return false
        // The webhook before its deliveries, as whoever settles one does.
        await db
          .selectFrom("webhooks")
          .select("id")
          .where("id", "=", id)
          .modifyEnd(forUpdate)
          .execute()
        await holdDeliveries(db, forUpdate, { webhookId: id })
        const theirs = db.selectFrom("deliveries").select("id").where("webhook_id", "=", id)
        await db.deleteFrom("attempts").where("delivery_id", "in", theirs).execute()
        await db.deleteFrom("deliveries").where("webhook_id", "=", id).execute()
        await db.deleteFrom("webhook_secrets").where("webhook_id", "=", id).execute()
        await db.deleteFrom("webhooks").where("id", "=", id).execute()
        await note(db, of, "webhook.delete", `webhook:${id}`, {})
        return true
      }),

    rotateSecret: (rotation) =>
      write(async (db) => {
        const { id, secret, at, overlapUntil } = rotation
        await takeTurn(db, "events")
        if (!(await isOwned(db, rotation))) return false
        await db
          .updateTable("webhook_secrets")
          .set({ expires_at: overlapUntil })
          .where("webhook_id", "=", id)
          .where("scheme", "=", secret.scheme)
          .where((row) =>
            row.or([row("expires_at", "is", null), row("expires_at", ">", overlapUntil)]),
          )
          .execute()
        // Those that have expired can sign nothing any more.
        await db
          .deleteFrom("webhook_secrets")
          .where("webhook_id", "=", id)
          .where("expires_at", "<=", at)
          .execute()
        await addSecret(db, id, secret, at)
        await note(db, rotation, "webhook.rotate", `webhook:${id}`, { scheme: secret.scheme })
        return true
      }),

    liveSecrets: ({ webhookId, at }) =>
      read(async (db) => {
        const rows = await living(db, at)
          .selectAll()
          .where("webhook_id", "=", webhookId)
          .orderBy("created_at", "desc")
          .orderBy("id")
          .execute()
        return rows.map(secretOf)
      }),

    webhookKeys: (at) =>
      read(async (db) => {
        const rows = await living(db, at)
          .select(["id", "public_key"])
          .where("public_key", "is not", null)
          .orderBy("created_at")
          .orderBy("id")
          .execute()
        return rows.flatMap(({ id, public_key: publicKey }) =>
          publicKey === null ? [] : { id, publicKey },
        )
      }),

    hasEnabledWebhook: () =>
      read(async (db) => {
        const enabled = db.selectFrom("webhooks").select("id").where("disabled_at", "is", null)
        return (await enabled.limit(1).executeTakeFirst()) !== undefined
      }),
  }
}

const BY_HAND = {
  reason: "by-hand",
  eventId: null,
  kind: null,
  status: null,
  error: null,
} as const

/** Why a delivery is dead whose webhook was disabled before it was made. */
export const WEBHOOK_DISABLED = "webhook-disabled"

/** From here on nothing is pending for it. The caller has taken its turn. */
export async function disable(db: Write, id: string, disabled: Disabled): Promise<void> {
  const { at, ...why } = disabled
  await db
    .updateTable("webhooks")
    .set({ disabled_at: at, disabled: JSON.stringify(why) })
    .where("id", "=", id)
    .execute()
  await db
    .updateTable("deliveries")
    .set({ status: "dead", next_at: null, last_error: WEBHOOK_DISABLED })
    .where("webhook_id", "=", id)
    .where("status", "=", "pending")
    .execute()
}

function ownedBy(db: Pick<Database, "selectFrom">, tenantId: number | null) {
  const query = db.selectFrom("webhooks")
  return tenantId === null
    ? query.where("tenant_id", "is", null)
    : query.where("tenant_id", "=", tenantId)
}

export async function isOwned(
  db: Pick<Database, "selectFrom">,
  { tenantId, id }: WebhookPlace,
): Promise<boolean> {
  const query = ownedBy(db, tenantId).select("id").where("id", "=", id)
  return (await query.executeTakeFirst()) !== undefined
}

function living(db: Database, at: number) {
  return db
    .selectFrom("webhook_secrets")
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", at)]))
}

async function addSecret(db: Write, webhookId: string, secret: NewSecret, at: number) {
  const { id, scheme, sealed, publicKey } = secret
  await db
    .insertInto("webhook_secrets")
    .values({
      ...{ id, webhook_id: webhookId, scheme, sealed, public_key: publicKey },
      ...{ created_at: at, expires_at: null },
    })
    .execute()
}

function kindsText(kinds: readonly EventKind[]): string {
  return ` ${kinds.join(" ")} `
}

/** The schemes of each webhook's secrets, in order. */
async function schemesOf(
  db: Pick<Database, "selectFrom">,
  ids: readonly string[],
): Promise<Map<string, SignatureScheme[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom("webhook_secrets")
    .select(["webhook_id", "scheme"])
    .distinct()
    .where("webhook_id", "in", ids)
    .orderBy("scheme")
    .execute()
  const byWebhook = Map.groupBy(rows, (row) => row.webhook_id)
  return new Map(
    [...byWebhook].map(([id, of]) => [id, of.map(({ scheme }) => scheme as SignatureScheme)]),
  )
}

function webhookOf(
  row: Selectable<Schema["webhooks"]>,
  schemes: readonly SignatureScheme[] = [],
): Webhook {
  const { disabled_at: at, disabled } = row
  return {
    id: row.id,
    tenantId: row.tenant_id,
    url: row.url,
    description: row.description,
    kinds: row.kinds.trim().split(" ") as EventKind[],
    schemes,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    disabled:
      at === null || disabled === null
        ? null
        : { at, ...(JSON.parse(disabled) as Omit<Disabled, "at">) },
  }
}

function secretOf(row: Selectable<Schema["webhook_secrets"]>): WebhookSecret {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    scheme: row.scheme as SignatureScheme,
    sealed: row.sealed,
    publicKey: row.public_key,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
