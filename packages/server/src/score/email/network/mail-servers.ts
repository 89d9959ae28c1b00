import type { MxRecord } from "node:dns"
import type { NameService } from "./name-service.ts"
import type { Answer } from "./probe.ts"

/** Whether a domain takes mail, and by what. */
export interface MailServers extends Answer {
  readonly accepts_mail: boolean
  /** Mail servers the domain names; 0 where mail goes to its own address. */
  readonly records: number
  /** The domain says that it takes no mail (RFC 7505). */
  readonly null_mx: boolean
  /** The servers' names in lower case, the preferred first. */
  readonly exchanges: readonly string[]
}

/**
 * By RFC 5321, section 5.1: a domain without a mail server of its own takes mail at its address, if
 * it has one.
 */
export async function mailServers(names: NameService, domain: string): Promise<MailServers> {
  const found = await names.mx(domain)
  if (found === null) return mailServersOf(false, [], false)
  // The null record has the root as its server, which the resolver gives as an empty text.
  const records = found.filter(({ exchange }) => exchange !== "")
  if (records.length > 0) return mailServersOf(true, records, false)
  if (found.length > 0) return mailServersOf(false, [], true)
  return mailServersOf(await hasAddress(names, domain), [], false)
}

/** One kind of address is enough; that there is none takes both answers. */
async function hasAddress(names: NameService, domain: string): Promise<boolean> {
  const asked = [names.a(domain), names.aaaa(domain)]
  for (const answer of await Promise.allSettled(asked))
    if (answer.status === "fulfilled" && answer.value !== null && answer.value.length > 0)
      return true
  // Throws the failure, if there was one.
  await Promise.all(asked)
  return false
}

function mailServersOf(
  accepts: boolean,
  records: readonly MxRecord[],
  nullMx: boolean,
): MailServers {
  return {
    status: "answered",
    accepts_mail: accepts,
    records: records.length,
    null_mx: nullMx,
    exchanges: [...records]
      .sort((a, b) => a.priority - b.priority)
      .map(({ exchange }) => exchange.toLowerCase()),
  }
}
