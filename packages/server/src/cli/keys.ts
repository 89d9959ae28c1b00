import { BRIEF_HOURS_MAX, BRIEF_SCOPES, SERVICE_SCOPES, TENANT_SCOPES } from "@assay/core/contract"
import { hashApiKey, hintOf, mintApiKey } from "../accounts/api-key.ts"
import { newKeyId } from "../accounts/first-keys.ts"
import { type Plan, planOf, plans } from "../accounts/plans.ts"
import { readConfig } from "../base/config.ts"
import type { ApiKey, Records, Tenant } from "@assay/stores/records"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface CreateOptions {
  readonly tenant?: string
  readonly plan?: string
  readonly service?: boolean
  readonly scopes?: string
  readonly expires?: string
  readonly label?: string
}

/** Prints the new key on a line of its own, once; everything else is a note. */
export async function createKey(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { env, now, user: actor } = terminal
  const at = now()
  const expiresAt = options.expires === undefined ? null : at + duration(options.expires)
  for (const [option, text] of [
    ["--tenant", options.tenant],
    ["--label", options.label],
  ] as const) {
    if (text !== undefined) refuseUnprintable(option, text)
  }
  const key = mintApiKey()
  await withRecords(readConfig(env), async (records) => {
    const tenant = options.service === true ? null : await tenantFor(options, records, terminal)
    const scopes = scopesFor(options, tenant)
    refuseLasting(scopes, at, expiresAt)
    const id = newKeyId()
    await records.createKey({
      id,
      tenantId: tenant?.id ?? null,
      hash: hashApiKey(key),
      hint: hintOf(key),
      label: options.label ?? "",
      scopes,
      at,
      expiresAt,
      actor,
    })
    terminal.note(
      `Key ${id} of ${tenant === null ? "the service" : `tenant ${tenant.name} (${tenant.plan})`}, scopes ${scopes.join(", ")}.`,
    )
    terminal.note(
      expiresAt === null
        ? "It does not expire."
        : `It expires at ${new Date(expiresAt).toISOString()}.`,
    )
    terminal.note("The key is shown this once and cannot be shown again:")
  })
  terminal.print(key)
}

export async function listKeys(options: { tenant?: string }, terminal: Terminal): Promise<void> {
  await withRecords(readConfig(terminal.env), async (records) => {
    const tenants = new Map((await records.tenants()).map((tenant) => [tenant.id, tenant]))
    const only =
      options.tenant === undefined ? undefined : await knownTenant(options.tenant, records)
    const keys = await records.keys(only === undefined ? {} : { tenantId: only.id })
    const rows = keys.map((key) => {
      const tenant = key.tenantId === null ? undefined : tenants.get(key.tenantId)
      return [
        key.id,
        key.hint,
        tenant?.name ?? "(service)",
        tenant?.plan ?? "",
        stateOf(key, terminal.now()),
        key.scopes.join(" "),
        key.label,
      ]
    })
    table(["ID", "KEY", "TENANT", "PLAN", "STATE", "SCOPES", "LABEL"], rows).forEach(terminal.print)
  })
}

/** Prints the successor; the old key goes on working for the overlap. */
export async function rotateKey(
  id: string,
  options: { overlap: string; expires?: string },
  terminal: Terminal,
): Promise<void> {
  const at = terminal.now()
  const overlapUntil = at + duration(options.overlap, true)
  const expiresAt = options.expires === undefined ? null : at + duration(options.expires)
  const key = mintApiKey()
  await withRecords(readConfig(terminal.env), async (records) => {
    const old = (await records.keys()).find((each) => each.id === id)
    refuseLasting(old?.scopes ?? [], at, expiresAt)
    const newKey = { id: newKeyId(), hash: hashApiKey(key), hint: hintOf(key), expiresAt }
    await records.rotateKey({ id, newKey, overlapUntil, at, actor: terminal.user })
    terminal.note(
      `Key ${id} is replaced by ${newKey.id} and stops working at ${new Date(overlapUntil).toISOString()}.`,
    )
    terminal.note("The new key is shown this once and cannot be shown again:")
  })
  terminal.print(key)
}

export async function revokeKey(id: string, terminal: Terminal): Promise<void> {
  await withRecords(readConfig(terminal.env), async (records) => {
    await records.revokeKey({ id, at: terminal.now(), actor: terminal.user })
  })
  terminal.print(`Key ${id} is revoked; every worker refuses it within 5 seconds.`)
}

/** A key for ASSAY_BOOTSTRAP_KEY. It opens nothing until a service is started with it. */
export function mintKey(terminal: Terminal): void {
  terminal.print(mintApiKey())
}

/** The service would not let such a key use the scope. */
function refuseLasting(scopes: readonly string[], at: number, expiresAt: number | null): void {
  const brief = scopes.find((scope) => BRIEF_SCOPES.includes(scope))
  if (brief === undefined) return
  if (expiresAt === null || expiresAt - at > BRIEF_HOURS_MAX * HOUR_MS)
    throw new CommandError(
      `A key with the scope ${brief} lasts at most ${BRIEF_HOURS_MAX} hours; say how long with --expires, 2h for example`,
    )
}

/** Names and labels are shown in tables and logs of terminals. */
export function refuseUnprintable(what: string, text: string): void {
  if (!/^\P{C}{1,100}$/u.test(text))
    throw new CommandError(`${what} takes 1 to 100 printable characters`)
}

export function refuseUnknownPlan(plan: string | undefined): void {
  if (plan !== undefined && !Object.hasOwn(plans, plan))
    throw new CommandError(`--plan takes ${Object.keys(plans).join(" or ")}`)
}

async function tenantFor(
  { tenant: name, plan }: CreateOptions,
  records: Records,
  terminal: Terminal,
): Promise<Tenant> {
  if (name === undefined)
    throw new CommandError(
      "Name the tenant with --tenant, or make a key of the service with --service",
    )
  refuseUnknownPlan(plan)
  const known = await records.tenantByName(name)
  if (known === null) {
    const tenant = await records.createTenant({
      name,
      plan: plan ?? "free",
      at: terminal.now(),
      actor: terminal.user,
    })
    terminal.note(`Tenant ${name} is new, on the ${tenant.plan} plan.`)
    return tenant
  }
  if (plan !== undefined && plan !== known.plan) {
    throw new CommandError(
      `Tenant ${name} is on the ${known.plan} plan; a new key does not change that`,
    )
  }
  return known
}

function scopesFor({ scopes, service }: CreateOptions, tenant: Tenant | null): string[] {
  const allowed: readonly string[] =
    tenant === null ? SERVICE_SCOPES : (planOf(tenant.plan) satisfies Plan).scopes
  if (scopes === undefined) {
    if (service === true)
      throw new CommandError(
        `Name the scopes of a service key with --scopes: ${SERVICE_SCOPES.join(", ")}`,
      )
    return ["score"]
  }
  // "all" leaves out the short-lived scopes: those must be named, with an expiry.
  const all = allowed.filter((scope) => !BRIEF_SCOPES.includes(scope))
  const wanted = scopes === "all" ? all : scopes.split(",").map((scope) => scope.trim())
  for (const scope of wanted) {
    if (allowed.includes(scope)) continue
    const known = ([...TENANT_SCOPES, ...SERVICE_SCOPES] as string[]).includes(scope)
    throw new CommandError(
      known
        ? `This ${tenant === null ? "service key" : "plan"} cannot have the scope ${scope}; it can have ${allowed.join(", ")}`
        : `There is no scope ${scope}; there are ${allowed.join(", ")}`,
    )
  }
  return [...new Set(wanted)]
}

export async function knownTenant(name: string, records: Records): Promise<Tenant> {
  const tenant = await records.tenantByName(name)
  if (tenant === null) throw new CommandError(`There is no tenant ${name}`)
  return tenant
}

function stateOf({ revokedAt, expiresAt, replacedBy }: ApiKey, now: number): string {
  if (revokedAt !== null) return "revoked"
  if (expiresAt !== null && expiresAt <= now) return "expired"
  if (replacedBy !== null) return "replaced"
  return expiresAt === null ? "active" : `until ${new Date(expiresAt).toISOString().slice(0, 10)}`
}

function duration(text: string, zeroAllowed = false): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const ms = Number(count) * (unit === "h" ? HOUR_MS : DAY_MS)
  if (unit === undefined || (ms === 0 && !zeroAllowed))
    throw new CommandError("A time is a number with h or d: 12h, 90d")
  return ms
}

export interface OperatorTokenOptions {
  readonly name?: string
  readonly reseal?: boolean
  readonly expires?: string
}

/**
 * Prints a token by which a person fetches sealed messages and sends replies. It is a key of the
 * service that may do nothing else, and opens no message: that takes the person's identity file,
 * which never comes here. With `reseal` it may also seal stored messages to changed keys, and ends
 * within a day.
 */
export async function createOperatorToken(
  { name, reseal = false, expires = reseal ? "2h" : "30d" }: OperatorTokenOptions,
  terminal: Terminal,
): Promise<void> {
  if (name === undefined) throw new CommandError("Name the person who will use it with --name")
  refuseUnprintable("--name", name)
  const scopes = reseal ? "drop:read,drop:reseal" : "drop:read"
  await createKey({ service: true, scopes, expires, label: name }, terminal)
}
