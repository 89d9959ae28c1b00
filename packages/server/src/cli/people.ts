import { SERVICE_ROLES, TENANT_ROLES } from "@assay/core/contract"
import { openSecrets } from "@assay/runtime/secrets"
import { dayOf } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import type { PersonFile } from "@assay/stores/records-people"
import { type Config, readConfig } from "../base/config.ts"
import { linkOf, makeInvitation } from "../people/members.ts"
import {
  addressIn,
  addressOf,
  openSealedPeople,
  type SealedPeople,
} from "../people/sealed-people.ts"
import { askRunningService } from "../run/running-service.ts"
import { knownTenant } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Lists people with their roles; of an address only what it is recognised by. */
export async function listPeople(terminal: Terminal): Promise<void> {
  await withPeople(terminal, async (records, sealed) => {
    const rows: string[][] = []
    for (const { id } of await records.people()) {
      const found = await records.personById(id)
      if (found === null) continue
      const { person, memberships } = found
      const sessions = await records.sessionsOf(id)
      rows.push([
        id,
        person.name,
        masked(addressIn(person.emailSealed, sealed)),
        person.roles.join(" ") || "none",
        memberships.map(({ tenantName, role }) => `${tenantName}:${role}`).join(" ") || "none",
        String(sessions.length),
        dayOf(person.createdAt),
      ])
    }
    const heads = ["ID", "NAME", "ADDRESS", "FOR THE SERVICE", "IN TENANTS", "SESSIONS", "SINCE"]
    table(heads, rows).forEach(terminal.print)
  })
}

export interface InviteOptions {
  readonly tenant?: string
  readonly role?: string
}

/** Prints a link by which one person joins, once; everything else is a note. */
export async function invitePerson(options: InviteOptions, terminal: Terminal): Promise<void> {
  const { role } = options
  const roles: readonly string[] = options.tenant === undefined ? SERVICE_ROLES : TENANT_ROLES
  if (role === undefined || !roles.includes(role))
    throw new CommandError(
      `--role takes ${roles.join(", ")} ${options.tenant === undefined ? "without a tenant" : "in a tenant"}`,
    )
  await withPeople(terminal, async (records, _sealed, origin) => {
    const tenant = options.tenant === undefined ? null : await knownTenant(options.tenant, records)
    const of = { tenantId: tenant?.id ?? null, role, personId: null }
    const where = tenant === null ? "of the service" : `of tenant ${tenant.name}`
    await printLink(
      records,
      origin(),
      of,
      `Whoever opens it first becomes ${role} ${where}.`,
      terminal,
    )
  })
}

/** Prints a link by which somebody known sets anew what they sign in by. */
export async function linkPerson(who: string, terminal: Terminal): Promise<void> {
  await withPeople(terminal, async (records, sealed, origin) => {
    const { person } = await knownPerson(who, records, sealed)
    const of = { tenantId: null, role: null, personId: person.id }
    const meaning = `Whoever opens it first signs in as ${person.id}; what that person signed in by before, and where, ends.`
    await printLink(records, origin(), of, meaning, terminal)
  })
}

export interface SetPersonOptions extends InviteOptions {
  readonly serviceRoles?: string
}

/** Changes roles of somebody: for the service, or in a tenant they belong to. */
export async function setPerson(
  who: string,
  options: SetPersonOptions,
  terminal: Terminal,
): Promise<void> {
  const { tenant: tenantName, role, serviceRoles } = options
  if ((tenantName === undefined) !== (role === undefined) || (role ?? serviceRoles) === undefined)
    throw new CommandError("Say --service-roles, or --tenant with --role", { exitCode: 2 })
  const roles = serviceRoles === undefined ? null : listedRoles(serviceRoles)
  if (role !== undefined && role !== "none" && !TENANT_ROLES.some((each) => each === role))
    throw new CommandError(`--role takes ${TENANT_ROLES.join(", ")} or none`)
  await withPeople(terminal, async (records, sealed) => {
    const { person } = await knownPerson(who, records, sealed)
    const by = { personId: person.id, at: terminal.now(), actor: terminal.user }
    if (roles !== null) {
      await records.setServiceRoles({ ...by, roles })
      terminal.print(`${person.id} is ${roles.join(" and ") || "nothing"} for the service.`)
    }
    if (tenantName !== undefined && role !== undefined) {
      const { id: tenantId, name } = await knownTenant(tenantName, records)
      await records.setMember({ ...by, tenantId, role: role === "none" ? null : role })
      const now =
        role === "none" ? `no member of tenant ${name} any more` : `${role} of tenant ${name}`
      terminal.print(`${person.id} is ${now}.`)
    }
    terminal.note("That person is signed out everywhere within 5 seconds.")
  })
}

export async function endSessions(who: string, terminal: Terminal): Promise<void> {
  await withPeople(terminal, async (records, sealed) => {
    const { person } = await knownPerson(who, records, sealed)
    const by = { at: terminal.now(), actor: terminal.user }
    const ended = await records.endSessions({ personId: person.id, except: null, ...by })
    terminal.print(`${person.id} is signed out: ${ended} ${ended === 1 ? "session" : "sessions"}.`)
  })
}

async function withPeople<T>(
  { env }: Terminal,
  work: (records: Records, sealed: SealedPeople, origin: () => string) => Promise<T>,
): Promise<T> {
  const config = readConfig(env)
  const running = await askRunningService(config)
  // Of the service that runs, whatever the environment of this shell says.
  const origin = originOf(running?.config ?? config, running?.address.port ?? config.port)
  return await withRecords(config, async (records) => {
    const secrets = openSecrets(config.secretFile, config.secretMayBeMade)
    return await work(records, openSealedPeople(secrets), () => {
      if (origin !== null) return origin
      throw new CommandError("Set CONSOLE_ORIGIN first: without it nobody can sign in")
    })
  })
}

/** Where people reach the console; null in production as long as that is not set. */
export function originOf(
  { consoleOrigin, production }: Pick<Config, "consoleOrigin" | "production">,
  port: number,
): string | null {
  return consoleOrigin ?? (production ? null : `http://localhost:${port}`)
}

async function printLink(
  records: Records,
  origin: string,
  of: { tenantId: number | null; role: string | null; personId: string | null },
  meaning: string,
  terminal: Terminal,
): Promise<void> {
  const made = await makeInvitation(records, { ...of, actor: terminal.user, at: terminal.now() })
  terminal.note(meaning)
  terminal.note(`The link is good once, until ${new Date(made.expiresAt).toISOString()}:`)
  terminal.print(linkOf(origin, made.token))
}

/** By id, or by address. */
async function knownPerson(
  who: string,
  records: Records,
  sealed: SealedPeople,
): Promise<PersonFile> {
  const found = who.includes("@")
    ? await records.personByEmail(sealed.addressHash(addressOf(who)))
    : await records.personById(who)
  if (found === null) throw new CommandError("There is no such person; people list shows them")
  return found
}

function listedRoles(text: string): string[] {
  if (text === "none") return []
  const roles = text.split(",").map((role) => role.trim())
  const unknown = roles.find((role) => !SERVICE_ROLES.some((each) => each === role))
  if (unknown !== undefined)
    throw new CommandError(`--service-roles takes ${SERVICE_ROLES.join(", ")} or none`)
  return [...new Set(roles)]
}

function masked(address: string): string {
  const at = address.lastIndexOf("@")
  return at < 1
    ? address
    : `${String.fromCodePoint(address.codePointAt(0) ?? 0)}…${address.slice(at)}`
}
