import assert from "node:assert/strict"
import { assay } from "../cli/assay.ts"
import type { Service } from "../http/service.ts"
import { joins, tokenIn, type Visitor } from "../http/signed-in.ts"

/** Roles over the whole service; all others are in a tenant. */
const OF_SERVICE: readonly string[] = ["administrator", "drop-recipient"]

/** Of each service an owner who invites the others: a command would be a process for each. */
const hosts = new WeakMap<Service, Promise<Visitor>>()

let people = 0

/** Somebody new in the demo's tenant, or of the service. */
export async function memberOf(service: Service, role: string): Promise<Visitor> {
  const token = OF_SERVICE.includes(role)
    ? await invitedByCommand(service, "--role", role)
    : await invitedByHost(service, role)
  return await joins(service, token, `${role}-${++people}@console.example`)
}

async function invitedByHost(service: Service, role: string): Promise<string> {
  const host = hosts.get(service) ?? hostOf(service)
  hosts.set(service, host)
  const invitations = "/api/v1/members/invitations"
  const { status, body } = await (await host).send<{ link: string }>("POST", invitations, { role })
  assert.equal(status, 200, JSON.stringify(body))
  return tokenIn(body.link)
}

async function hostOf(service: Service): Promise<Visitor> {
  const token = await invitedByCommand(service, "--tenant", "demo", "--role", "owner")
  return await joins(service, token, "host@console.example")
}

async function invitedByCommand(service: Service, ...args: string[]): Promise<string> {
  const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
  const { out, err } = await assay(["people", "invite", ...args], env)
  assert.match(out, /#/, err)
  return tokenIn(out.trim())
}
