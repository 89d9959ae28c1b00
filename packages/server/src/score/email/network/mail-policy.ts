import type { NameService } from "./name-service.ts"
import type { Answer } from "./probe.ts"
import { registrableDomain } from "../lists/registrable-domain.ts"

/**
 * What the domain asks receivers to do with mail that others send in its name. It is shown, and
 * counts nothing in the score.
 */
export interface MailPolicy extends Answer {
  readonly spf: SpfPosture
  readonly dmarc: DmarcPosture
}

/**
 * What happens to senders the domain does not name. `redirect`: another domain's record says.
 * `broken`: receivers take it for an error (RFC 7208, sections 4.5 and 4.7).
 */
export type SpfPosture = "none" | "pass" | "neutral" | "softfail" | "fail" | "redirect" | "broken"

/**
 * The policy asked for. `absent`: no record; `broken`: one that receivers do not apply (RFC 7489,
 * section 6.6.3).
 */
export type DmarcPosture = "absent" | "none" | "quarantine" | "reject" | "broken"

export async function mailPolicy(names: NameService, domain: string): Promise<MailPolicy> {
  const [texts, dmarc] = await Promise.all([names.txt(domain), dmarcOf(names, domain)])
  return { status: "answered", spf: spfPosture(texts ?? []), dmarc }
}

/** A name without a policy inherits that of its registrable domain. */
async function dmarcOf(names: NameService, domain: string): Promise<DmarcPosture> {
  const own = dmarcPosture((await names.txt(`_dmarc.${domain}`)) ?? [], "p")
  const registered = registrableDomain(domain)?.domain ?? null
  if (own !== "absent" || registered === null || registered === domain) return own
  return dmarcPosture((await names.txt(`_dmarc.${registered}`)) ?? [], "sp")
}

const QUALIFIERS = {
  "+": "pass",
  "": "pass",
  "?": "neutral",
  "~": "softfail",
  "-": "fail",
} as const

/** Reads the TXT records of a domain. */
export function spfPosture(texts: readonly string[]): SpfPosture {
  const [record, ...more] = texts.filter((text) => /^v=spf1(?: |$)/i.test(text))
  if (record === undefined) return "none"
  if (more.length > 0) return "broken"
  const terms = record.split(" ")
  for (const term of terms) {
    const all = /^([-+?~]?)all$/i.exec(term)
    if (all !== null) return QUALIFIERS[all[1] as keyof typeof QUALIFIERS]
  }
  // Section 4.7: a record that comes to its end without a match is neutral.
  return terms.some((term) => /^redirect=./i.test(term)) ? "redirect" : "neutral"
}

/**
 * Reads the TXT records of `_dmarc`. Names below the record's own follow `sp`, or `p` where there
 * is none.
 */
export function dmarcPosture(texts: readonly string[], tag: "p" | "sp"): DmarcPosture {
  const [record, ...more] = texts.filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text))
  if (record === undefined) return "absent"
  if (more.length > 0) return "broken"
  const tags = new Map(
    record.split(";").map((part) => {
      const [name = "", value = ""] = part.split("=")
      return [name.trim().toLowerCase(), value.trim().toLowerCase()]
    }),
  )
  const policy = tags.get(tag) ?? tags.get("p")
  return policy === "none" || policy === "quarantine" || policy === "reject" ? policy : "broken"
}
