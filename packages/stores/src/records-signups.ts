import type { Selectable } from "kysely"

import { addKey, addTenant, changeAccounts } from "./records-accounts.ts"
import { type Change, note } from "./records-audit.ts"
import type { EventInserts, Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { addInvitation, type NewInvitation } from "./records-invitations.ts"
import type { Schema } from "./records-schema.ts"
import type { NewKey, Tenant } from "./accounts.ts"

/** Somebody who asked for a tenant. The address is sealed: the store cannot read it. */
export interface SignUp {
  id: string
  at: number
  organisation: string
  emailHash: Uint8Array
  emailSealed: Uint8Array
  purposes: string[]
  /** The version of the terms they agreed to. */
  terms: string
}

/** Whoever shows the token completes the sign-up. */
export interface SignUpToken {
  tokenHash: Uint8Array
  expiresAt: number
}

/** What completing a sign-up makes, all of it or nothing. */
export interface SignedUp {
  tenant: { name: string; plan: string }
  key: Omit<NewKey, "tenantId" | "at" | "actor">
  invitation: Omit<NewInvitation, "tenantId" | "at" | "actor">
  at: number
  requestId: string
}

export interface SignUpRecords {
  /** Keeps a sign-up that waits for an administrator or, with a token, for whoever has that. */
  addSignUp(of: { signUp: SignUp; token: SignUpToken | null; requestId: string }): Promise<void>
  /** Those that wait for an administrator, the oldest first. */
  waitingSignUps(limit: number): Promise<SignUp[]>
  /** One of them; null where none of this id waits. */
  waitingSignUp(id: string): Promise<SignUp | null>
  /** The one that a token completes; null where the token is not good. */
  signUpByToken(of: { tokenHash: Uint8Array; at: number }): Promise<SignUp | null>
  /** Whether a sign-up of this address was completed. */
  hasSignedUp(emailHash: Uint8Array): Promise<boolean>
  /**
   * Lets a waiting sign-up be completed by its token, or with null refuses it. Throws `not-found`
   * where none waits.
   */
  decideSignUp(of: Change & { id: string; token: SignUpToken | null }): Promise<void>
  /** Takes a sign-up back whose token could not be handed over, or one that waits. */
  dropSignUp(id: string): Promise<void>
  /** Keeps a sign-up and completes it at once. */
  signUpAtOnce(of: SignedUp & { signUp: SignUp }): Promise<Tenant>
  /** Completes the sign-up of a token. Throws `invitation-over` where the token is not good. */
  completeSignUp(of: SignedUp & { tokenHash: Uint8Array }): Promise<Tenant>
  /** Deletes what was not completed: tokens over and refusals before, and long waits. */
  forgetSignUps(of: { before: number; waitingBefore: number }): Promise<number>
}

/** Sign-ups over either engine. */
export function sqlSignUps({ read, write }: Store, inserts: EventInserts): SignUpRecords {
  /** Makes a key after it noted other things, and so takes its turn of events before them. */
  const changeInTurn = <T>(work: (db: Write) => Promise<T>): Promise<T> =>
    changeAccounts(write, async (db) => {
      await inserts.takeTurn(db, "events")
      return await work(db)
    })

  return {
    addSignUp: ({ signUp, token, requestId }) =>
      write(async (db) => {
        await insert(db, signUp, {
          state: token === null ? "waiting" : "allowed",
          token_hash: token?.tokenHash ?? null,
          expires_at: token?.expiresAt ?? null,
        })
        await noteSignUp(db, signUp, requestId)
      }),

    waitingSignUps: (limit) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("signups")
          .selectAll()
          .where("state", "=", "waiting")
          .orderBy("at")
          .orderBy("id")
          .limit(limit)
          .execute()
        return rows.map(signUpOf)
      }),

    waitingSignUp: (id) =>
      read(async (db) => {
        const row = await db
          .selectFrom("signups")
          .selectAll()
          .where("id", "=", id)
          .where("state", "=", "waiting")
          .executeTakeFirst()
        return row === undefined ? null : signUpOf(row)
      }),

    signUpByToken: ({ tokenHash, at }) =>
      read(async (db) => {
        const row = await db
          .selectFrom("signups")
          .selectAll()
          .where("token_hash", "=", tokenHash)
          .where("state", "=", "allowed")
          .where("expires_at", ">", at)
          .executeTakeFirst()
        return row === undefined ? null : signUpOf(row)
      }),

    hasSignedUp: (emailHash) =>
      read(async (db) => {
        const row = await db
          .selectFrom("signups")
          .select("id")
          .where("email_hash", "=", emailHash)
          .where("state", "=", "done")
          .limit(1)
          .executeTakeFirst()
        return row !== undefined
      }),

    decideSignUp: ({ id, token, ...by }) =>
      write(async (db) => {
        const row = await db
          .updateTable("signups")
          .set({
            state: token === null ? "refused" : "allowed",
            token_hash: token?.tokenHash ?? null,
            expires_at: token?.expiresAt ?? by.at,
          })
          .where("id", "=", id)
          .where("state", "=", "waiting")
          .returning("id")
          .executeTakeFirst()
        if (row === undefined) throw new RecordsError("not-found", "No such sign-up waits")
        const action = token === null ? "signup.refuse" : "signup.approve"
        await note(db, by, action, `signup:${id}`, {})
      }),

    dropSignUp: (id) =>
      write(async (db) => {
        await db.deleteFrom("signups").where("id", "=", id).where("state", "!=", "done").execute()
      }),

    signUpAtOnce: ({ signUp, ...made }) =>
      changeInTurn(async (db) => {
        await insert(db, signUp, { state: "allowed", token_hash: null, expires_at: null })
        await noteSignUp(db, signUp, made.requestId)
        return await complete(db, inserts, signUp.id, made)
      }),

    completeSignUp: ({ tokenHash, ...made }) =>
      changeInTurn(async (db) => {
        const row = await db
          .updateTable("signups")
          .set({ token_hash: null })
          .where("token_hash", "=", tokenHash)
          .where("state", "=", "allowed")
          .where("expires_at", ">", made.at)
          .returning("id")
          .executeTakeFirst()
        if (row === undefined)
          throw new RecordsError("invitation-over", "The token was used, has ended, or never was")
        return await complete(db, inserts, row.id, made)
      }),

    forgetSignUps: ({ before, waitingBefore }) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("signups")
          .where((each) =>
            each.or([
              each.and([
                each("state", "in", ["allowed", "refused"]),
                each("expires_at", "<", before),
              ]),
              each.and([each("state", "=", "waiting"), each("at", "<", waitingBefore)]),
            ]),
          )
          .executeTakeFirst()
        return Number(numDeletedRows)
      }),
  }
}

async function complete(
  db: Write,
  inserts: EventInserts,
  id: string,
  { tenant, key, invitation, at, requestId }: SignedUp,
): Promise<Tenant> {
  const by = { at, actor: `signup:${id}`, requestId }
  const made = await addTenant(db, { ...tenant, ...by })
  await addKey(db, inserts, { ...key, tenantId: made.id, ...by })
  await addInvitation(db, { ...invitation, tenantId: made.id, ...by })
  await db
    .updateTable("signups")
    .set({ state: "done", done_at: at, tenant_id: made.id })
    .where("id", "=", id)
    .execute()
  return made
}

async function insert(
  db: Write,
  signUp: SignUp,
  state: Pick<Selectable<Schema["signups"]>, "state" | "token_hash" | "expires_at">,
): Promise<void> {
  const { id, at, organisation, emailHash, emailSealed, purposes, terms } = signUp
  await db
    .insertInto("signups")
    .values({
      id,
      at,
      organisation,
      email_hash: emailHash,
      email_sealed: emailSealed,
      purposes: JSON.stringify(purposes),
      terms,
      ...state,
    })
    .execute()
}

async function noteSignUp(db: Write, signUp: SignUp, requestId: string): Promise<void> {
  const { id, at, purposes, terms } = signUp
  const by = { at, actor: "sign-up", requestId }
  await note(db, by, "signup.ask", `signup:${id}`, { purposes, terms })
}

function signUpOf(row: Selectable<Schema["signups"]>): SignUp {
  return {
    id: row.id,
    at: row.at,
    organisation: row.organisation,
    emailHash: row.email_hash,
    emailSealed: row.email_sealed,
    purposes: JSON.parse(row.purposes) as string[],
    terms: row.terms,
  }
}
