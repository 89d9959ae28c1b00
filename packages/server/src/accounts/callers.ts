import { timingSafeEqual } from "node:crypto"
import {
  BRIEF_HOURS_MAX,
  BRIEF_SCOPES,
  type Right,
  type Role,
  SERVICE_ROLES,
} from "@assay/core/contract"
import { Problem } from "../base/problem.ts"
import type { Accounts, ApiKey, KeyHolder, Tenant } from "@assay/stores/records"
import { RecordsError } from "@assay/stores/records-error"
import { HOUR_MS } from "@assay/runtime/time"
import { hashApiKey, readApiKey } from "./api-key.ts"
import { inTime } from "./in-time.ts"
import { type Plan, planOf, plans } from "./plans.ts"
import { type ShadowPolicy, shadowPolicyOf } from "./shadow-policy.ts"
import { readTenantSettings, type ScoringSettings, scoringSettings } from "./tenant-settings.ts"

/** Whose key or session a request carries. A service key belongs to no tenant. */
export interface Caller extends ScoringSettings {
  readonly keyId: string
  readonly tenantId: number | null
  readonly plan: Plan
  readonly scopes: ReadonlySet<string>
  /** What is computed beside the policy that acts; null where nothing is. */
  readonly shadow: ShadowPolicy<Caller> | null
  /** Who signed in; null: a key. */
  readonly person: CallingPerson | null
}

/** Whose session a request carries. */
export interface CallingPerson {
  readonly id: string
  readonly name: string
  /** In the tenant the person acts in, and for the service. */
  readonly roles: readonly Role[]
  readonly sessionId: string
  readonly signedInAt: number
  readonly expiresAt: number
}

interface CachedCaller extends Caller {
  readonly hash: Uint8Array
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface Callers {
  /**
   * The caller of an `Authorization` header, or a Problem: 401, or 503 when the records cannot be
   * asked. At once for a key that is known, which is the rule: the hot path waits for nothing.
   */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>
  /** The same for a key whose hash is known, as of one that a token was made for. */
  ofHash(hash: Buffer): Caller | Promise<Caller>
  /** The caller, if `authenticate` would return it at once; null in every other case. */
  known(authorization: string | undefined): Caller | null
  close(): void
}

interface CallersOptions {
  readonly accounts: Pick<Accounts, "keyByHash" | "accountsVersion">
  readonly now: () => number
  /**
   * A monotonic clock in milliseconds. It gives the age of remembered entries, even if the wall
   * clock is changed.
   */
  readonly elapsed: () => number
  readonly demoKeysAllowed: boolean
}

/** Twice in the 5 s in which a revoked key must stop working. */
const POLL_MS = 2_000
/** Past this age of the last successful poll a request waits for a new one. */
const STALE_MS = 4_000
/** How long it waits. Past that the records are away, and no request waits until they answer. */
const WAIT_MS = 1_000
/** While the records are away, keys already known are honoured this long. */
const HONOURED_MS = 60_000
const CACHED_MAX = 50_000
/** Keys in use within one poll; those beyond are hashed at each request. */
const RECENT_MAX = 1_000

const BEARER = /^Bearer \S+$/i
const BEARER_LENGTH = "Bearer ".length

/**
 * Authenticates from memory; one read every two seconds finds out whether any key or tenant
 * changed.
 */
export function openCallers({ accounts, now, elapsed, demoKeysAllowed }: CallersOptions): Callers {
  let cache = new Map<string, CachedCaller>()
  // By the header itself: hashing the key costs each request more than all else that is done with
  // it. A Map compares texts only where their seeded hashes are the same, so the time tells nothing
  // about a key. Emptied at every poll, so that no key stays in memory longer than it is in use.
  const recent = new Map<string, CachedCaller>()
  let version: number | null = null
  let checkedAt = -Infinity
  let areAway = false

  /** What comes back is as old as the question: until then a key may have been revoked. */
  async function poll(): Promise<void> {
    const askedAt = elapsed()
    recent.clear()
    const current = await accounts.accountsVersion()
    // A later question was answered first.
    if (askedAt < checkedAt) return
    if (current !== version) cache = new Map()
    recent.clear()
    version = current
    checkedAt = askedAt
    areAway = areAway && isLongAgo(askedAt)
  }

  /** Throws where the records are away and nothing that is remembered may be believed. */
  async function look(): Promise<void> {
    const isTooOld = elapsed() - checkedAt > HONOURED_MS
    if (areAway && isTooOld) throw unavailable()
    try {
      // With nothing to go by meanwhile, as after a start, a request waits for as long as it takes.
      await (isTooOld ? poll() : inTime(poll(), WAIT_MS))
    } catch (cause) {
      areAway = true
      if (isStale()) throw unavailable(cause)
    }
  }

  /**
   * Reads the key's holder, after making sure that what is remembered is not too old to be
   * believed.
   */
  async function find(hash: Buffer): Promise<Caller> {
    if (isStale()) await look()
    const name = hash.toString("base64")
    const known = cache.get(name)
    if (known !== undefined) return usable(known)
    const before = cache
    const holder = await accounts.keyByHash(hash)
    if (holder === null) throw unauthenticated("The API key is not valid here.")
    const caller = callerOf(holder, hash)
    if (before.size >= CACHED_MAX) before.clear()
    // Into the cache it was missing from: if a poll replaced that one meanwhile, this answer may
    // already be old.
    before.set(name, caller)
    return usable(caller)
  }

  function usable(caller: CachedCaller): Caller {
    if (isUsable(caller)) return caller
    throw unauthenticated("The API key is not valid here.")
  }

  const isUsable = ({ revokedAt, expiresAt }: CachedCaller): boolean =>
    revokedAt === null && (expiresAt === null || expiresAt > now())

  const isLongAgo = (at: number): boolean => elapsed() - at > STALE_MS

  const isStale = (): boolean =>
    areAway ? elapsed() - checkedAt > HONOURED_MS : isLongAgo(checkedAt)

  /** What is remembered of a key, unless it is too old to be believed. */
  function remembered(hash: Buffer): CachedCaller | undefined {
    const found = isStale() ? undefined : cache.get(hash.toString("base64"))
    return found !== undefined && timingSafeEqual(found.hash, hash) ? found : undefined
  }

  function rememberedBy(authorization: string): CachedCaller | undefined {
    const found = isStale() ? undefined : recent.get(authorization)
    if (found !== undefined) return found
    const key = keyIn(authorization)
    const caller = key === null ? undefined : remembered(hashApiKey(key))
    if (caller !== undefined && recent.size < RECENT_MAX) recent.set(authorization, caller)
    return caller
  }

  // A failed poll is not lost: the next request finds the last one too old, polls itself and finds
  // the records away.
  const timer = setInterval(() => void poll().catch(() => undefined), POLL_MS)
  timer.unref()
  return {
    authenticate(authorization = "") {
      const key = keyIn(authorization)
      if (key === null) throw unauthenticated("No API key was sent.", false)
      const hash = hashApiKey(key)
      const known = remembered(hash)
      if (known !== undefined) return usable(known)
      const kind = readApiKey(key)
      if (kind === null) throw unauthenticated("The API key is mistyped or cut short.")
      if (kind === "demo" && !demoKeysAllowed)
        throw unauthenticated("The API key is not valid here.")
      return find(hash)
    },
    ofHash(hash) {
      const known = remembered(hash)
      return known === undefined ? find(hash) : usable(known)
    },
    known(authorization = "") {
      const caller = rememberedBy(authorization)
      return caller !== undefined && isUsable(caller) ? caller : null
    },
    close: () => clearInterval(timer),
  }
}

function unavailable(cause?: unknown): RecordsError {
  return new RecordsError("unavailable", "Nothing is known of keys now", { cause })
}

function keyIn(authorization: string): string | null {
  return BEARER.test(authorization) ? authorization.slice(BEARER_LENGTH) : null
}

function callerOf({ key, tenant, shadow }: KeyHolder, hash: Uint8Array): CachedCaller {
  const caller: Caller = {
    keyId: key.id,
    tenantId: key.tenantId,
    plan: tenant === null ? plans.enterprise : planOf(tenant.plan),
    scopes: new Set(isBrief(key) ? key.scopes : key.scopes.filter(mayLast)),
    shadow: null,
    ...scoringSettings(readTenantSettings(tenant?.settings ?? {})),
    person: null,
  }
  return {
    ...caller,
    shadow: shadow === null ? null : shadowPolicyOf(shadow, caller),
    hash,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
  }
}

/** The caller that a tenant's own identities are scored for where nobody asks. */
export function tenantCaller({ id, plan, settings }: Tenant): Caller {
  return {
    keyId: "",
    tenantId: id,
    plan: planOf(plan),
    scopes: new Set(),
    shadow: null,
    ...scoringSettings(readTenantSettings(settings)),
    person: null,
  }
}

const mayLast = (scope: string): boolean => !BRIEF_SCOPES.includes(scope)

/**
 * Checked here and not only where keys are made: a key that lasts too long, however it came about,
 * gets no short-lived scope.
 */
function isBrief({ createdAt, expiresAt }: Pick<ApiKey, "createdAt" | "expiresAt">): boolean {
  return expiresAt !== null && expiresAt - createdAt <= BRIEF_HOURS_MAX * HOUR_MS
}

/** What a tenant sends is its own; a key of the service has no tenant to give it to. */
export function tenantOf(
  { tenantId, keyId }: Caller,
  sent: "Evidence" | "Feedback" | "A review" | "A view" | "Watching",
): { tenantId: number; keyId: string } {
  if (tenantId !== null) return { tenantId, keyId }
  throw new Problem("insufficient-scope", `${sent} takes a key of a tenant.`)
}

/** Who did something, as the audit trail names them. */
export const actorOf = ({ keyId, person }: Caller): string =>
  person === null ? `key:${keyId}` : `person:${person.id}`

/**
 * Throws where a key has none of the scopes of a row of rights, with the challenge of RFC 6750, or
 * a person none of its roles.
 */
export function requireRight(caller: Caller, { scopes, roles }: Right): void {
  if (caller.person !== null) {
    if (personMay(caller, caller.person.roles, { scopes, roles })) return
    throw new Problem("insufficient-role", "Nothing was done.")
  }
  if (scopes.some((scope) => caller.scopes.has(scope))) return
  if (scopes.length === 0)
    throw new Problem("insufficient-scope", "Only a person who is signed in may do this.")
  throw new Problem("insufficient-scope", `The key needs the scope ${scopes.join(" or ")}.`, {
    headers: {
      "www-authenticate": `Bearer realm="assay", error="insufficient_scope", scope="${scopes.join(" ")}"`,
    },
  })
}

/** In a tenant nobody may do what its plan does not have; the service has no plan. */
function personMay(caller: Caller, own: readonly Role[], { scopes, roles }: Right): boolean {
  if (roles === "signed-in") return true
  const fitting = own.filter((role) => roles.includes(role))
  if (fitting.some((role) => SERVICE_ROLES.some((each) => each === role))) return true
  const inPlan = scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))
  return fitting.length > 0 && inPlan
}

function unauthenticated(detail: string, sent = true): Problem {
  const challenge = sent ? `Bearer realm="assay", error="invalid_token"` : `Bearer realm="assay"`
  return new Problem("unauthenticated", detail, { headers: { "www-authenticate": challenge } })
}
