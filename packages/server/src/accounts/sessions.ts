import { hash, randomBytes } from "node:crypto"
import { SERVICE_ROLES, TENANT_ROLES } from "@assay/core/contract"
import type { Accounts } from "@assay/stores/records"
import { consoleKeyId, type PeopleRecords } from "@assay/stores/records-people"
import type { SessionHolder, SessionRecords } from "@assay/stores/records-sessions"
import { Problem } from "../base/problem.ts"
import type { Caller, CallingPerson } from "./callers.ts"
import { planOf, plans } from "./plans.ts"
import { readTenantSettings, scoringSettings } from "./tenant-settings.ts"

/** A caller who signed in. */
export interface PersonCaller extends Caller {
  readonly person: CallingPerson
}

export interface Sessions {
  /**
   * The caller of a session's token, or a Problem: 401, or 503 when the records cannot be asked.
   */
  authenticate(token: string): Promise<PersonCaller>
  /** Tells the primary which sessions were used. */
  flush(): Promise<void>
  close(): void
}

interface SessionsOptions {
  readonly records: Pick<PeopleRecords, "peopleVersion"> &
    Pick<SessionRecords, "sessionByToken"> &
    Pick<Accounts, "accountsVersion">
  readonly touch: SessionRecords["touchSessions"]
  readonly now: () => number
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number
  readonly idleMs: number
}

interface Cached {
  readonly caller: PersonCaller
  seenAt: number
  /** What the records know of `seenAt`. */
  toldAt: number
}

/** As for keys: an ended session stops working within 5 s. */
const POLL_MS = 2_000
const STALE_MS = 4_000
const CACHED_MAX = 10_000
/** How old the records' knowledge of a session's last use may be. */
const TOUCH_MS = 60_000

/** Sessions from memory, as `callers.ts` has keys. */
export function openSessions(options: SessionsOptions): Sessions {
  const { records, touch, now, elapsed, idleMs } = options
  let cache = new Map<string, Cached>()
  let version = ""
  let checkedAt = -Infinity
  const touchMs = Math.min(TOUCH_MS, idleMs / 4)

  async function poll(): Promise<void> {
    const [people, accounts] = await Promise.all([
      records.peopleVersion(),
      records.accountsVersion(),
    ])
    const current = `${people} ${accounts}`
    if (current !== version) await forget()
    version = current
    checkedAt = elapsed()
  }

  /** Forgets sessions, but not that they were used: that goes to the records first. */
  async function forget(): Promise<void> {
    const before = cache
    cache = new Map()
    await tell(before.values())
  }

  async function tell(sessions: Iterable<Cached>): Promise<void> {
    const seen = [...sessions].filter(({ seenAt, toldAt }) => seenAt > toldAt)
    if (seen.length === 0) return
    await touch(seen.map(({ caller, seenAt }) => ({ id: caller.person.sessionId, at: seenAt })))
    for (const each of seen) each.toldAt = each.seenAt
  }

  const isOver = ({ caller, seenAt }: Cached): boolean =>
    now() >= caller.person.expiresAt || now() - seenAt >= idleMs

  async function read(token: string, name: string): Promise<Cached> {
    const before = cache
    const holder = await records.sessionByToken(hashOfToken(token))
    if (holder === null) throw noSession()
    const { seenAt } = holder.session
    const found = { caller: callerOf(holder), seenAt, toldAt: seenAt }
    if (isOver(found)) throw noSession()
    if (before.size >= CACHED_MAX) before.clear()
    // Into the cache it was missing from, as keys are.
    before.set(name, found)
    return found
  }

  const timer = setInterval(() => {
    // Where it fails, the next request finds its answer too old, asks itself and says why it
    // cannot.
    if (cache.size > 0) void poll().catch(() => undefined)
  }, POLL_MS)
  timer.unref()
  return {
    async authenticate(token) {
      if (!TOKEN.test(token)) throw noSession()
      if (elapsed() - checkedAt > STALE_MS) await poll()
      const name = Buffer.from(hashOfToken(token)).toString("base64")
      let found = cache.get(name)
      // One that seems unused may have been used by way of another worker.
      if (found === undefined || isOver(found)) found = await read(token, name)
      found.seenAt = now()
      if (found.seenAt - found.toldAt >= touchMs) await tell([found])
      return found.caller
    },
    flush: () => tell(cache.values()),
    close: () => clearInterval(timer),
  }
}

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** A new session's or link's token: 256 random bits, handed out once and stored as a hash. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url")
}

/** A fast hash is enough: 256 random bits cannot be searched. */
export function hashOfToken(token: string): Uint8Array {
  return Buffer.from(hash("sha256", token, "hex"), "hex")
}

/**
 * What requests of a session that change something carry besides its cookie. Whoever cannot read
 * the cookie cannot make it, and it says nothing about the cookie.
 */
export function csrfTokenOf(token: string): string {
  return Buffer.from(hash("sha256", `assay csrf ${token}`, "hex"), "hex").toString("base64url")
}

function callerOf({ session, name, roles, member }: SessionHolder): PersonCaller {
  const tenant = member?.tenant ?? null
  const plan = tenant === null ? plans.enterprise : planOf(tenant.plan)
  return {
    keyId: tenant === null ? "console" : consoleKeyId(tenant.id),
    tenantId: tenant?.id ?? null,
    plan,
    // What the tenant's plan has; which of it the person may use is a matter of roles.
    scopes: new Set(tenant === null ? [] : plan.scopes),
    // What people try out by hand is no traffic to compare policies on.
    shadow: null,
    ...scoringSettings(readTenantSettings(tenant?.settings ?? {})),
    person: {
      id: session.personId,
      name,
      roles: [
        ...TENANT_ROLES.filter((role) => role === member?.role),
        ...SERVICE_ROLES.filter((role) => roles.includes(role)),
      ],
      sessionId: session.id,
      signedInAt: session.signedInAt,
      expiresAt: session.expiresAt,
    },
  }
}

function noSession(): Problem {
  return new Problem("unauthenticated", "The session is over; sign in again.")
}
