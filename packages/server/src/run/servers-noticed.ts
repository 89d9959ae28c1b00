import { parseDomain } from "@assay/core/identity"
import { registrableDomain } from "../score/email/lists/registrable-domain.ts"
import type { Lists } from "../score/email/lists.ts"
import type { ServerSighting } from "./keep-learnt.ts"

/**
 * In a worker: passes on the mail servers of disposable and of guarded hosts. About all other
 * hosts, a person's own domain among them, nothing is passed on or kept.
 */
export function serversNoticed(
  lists: Pick<Lists, "about">,
  send: (sighting: ServerSighting) => void,
): (domain: string, servers: readonly string[]) => void {
  return (domain, servers) => {
    const parsed = parseDomain(domain)
    if (servers.length === 0 || "fault" in parsed) return
    const { standing } = lists.about(parsed)
    // By registrable domain: a hundred names under one domain are one host.
    const host = registrableDomain(domain)?.domain
    if (standing !== null && host !== undefined) send({ host, standing, servers })
  }
}
