import assert from "node:assert/strict"
import { assay } from "../cli/assay.ts"
import type { Service } from "../http/service.ts"
import { joins, tokenIn, type Visitor } from "../http/signed-in.ts"

/** Roles over the whole service; all others are in a tenant. */
const OF_SERVICE: readonly string[] = ["administrator", "drop-recipient"]

let people = 0

/** Somebody new in the demo's tenant, or of the service. */
export async function memberOf(service: Service, role: string): Promise<Visitor> {
  const args = OF_SERVICE.includes(role) ? [] : ["--tenant", "demo"]
  const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
  const { out, err } = await assay(["people", "invite", ...args, "--role", role], env)
  assert.match(out, /#/, err)
  return await joins(service, tokenIn(out.trim()), `${role}-${++people}@console.example`)
}
