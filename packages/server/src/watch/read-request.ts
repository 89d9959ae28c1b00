import type { WatchListRequest } from "@assay/core/contract"
import { WATCH_LINES_MAX, WATCH_LIST_MAX, WatchListLine as LineSchema } from "@assay/core/contract"
import { parseEmail } from "@assay/core/identity"
import { Value } from "typebox/value"
import { holdsIdentity } from "../base/holds-identity.ts"
import { Problem } from "../base/problem.ts"
import { heldLines, lineValue } from "../http/held-lines.ts"
import { refusal } from "../http/refusal.ts"
import type { TimeSlices } from "../http/time-slices.ts"
import { mailDomain } from "./domain-proof.ts"
import type { Wanted } from "./identify.ts"
import type { NamedDomain } from "./watch-list.ts"

/** What a caller wants watched, with the place where it stands, or why it cannot be. */
export interface Placed {
  readonly pointer: string
  readonly wanted: Wanted
}

/** The identities of a body, addresses first. Throws a Problem where there are none or too many. */
export function readWanted({
  emails = [],
  phone_numbers: phones = [],
}: WatchListRequest): Placed[] {
  const count = emails.length + phones.length
  if (count > WATCH_LIST_MAX)
    throw refusal({ pointer: "#", detail: `must have at most ${WATCH_LIST_MAX} identities` })
  const read =
    (member: string, type: Wanted["type"]) =>
    (given: (typeof emails)[number], place: number): Placed => {
      const pointer = `#/${member}/${place}`
      if (typeof given === "string")
        return { pointer, wanted: { type, value: given, ref: null, deliverIdentity: false } }
      const { value, ref = null, deliver_identity: deliverIdentity = false } = given
      if (ref !== null && holdsIdentity(ref)) throw refusal(namesSomebody(`${pointer}/ref`))
      return { pointer, wanted: { type, value, ref, deliverIdentity } }
    }
  return [...emails.map(read("emails", "email")), ...phones.map(read("phone_numbers", "phone"))]
}

/** The domains of a body. Throws a Problem for what is none. */
export function readDomains(
  { domains = [] }: Pick<WatchListRequest, "domains">,
  hashOf: (name: string) => Uint8Array,
): NamedDomain[] {
  return domains.map((given, place) => {
    const pointer = `#/domains/${place}`
    const { value, ref = null } = typeof given === "string" ? { value: given } : given
    if (ref !== null && holdsIdentity(ref)) throw refusal(namesSomebody(`${pointer}/ref`))
    const named = namedDomain(value, ref, hashOf)
    if (named === null) throw refusal({ pointer, detail: NO_DOMAIN })
    return named
  })
}

const NO_DOMAIN = "must be the name of a domain"

function namedDomain(
  value: string,
  ref: string | null,
  hashOf: (name: string) => Uint8Array,
): NamedDomain | null {
  const parsed = value.includes("@") ? null : parseEmail(`a@${value}`)
  if (parsed === null || "fault" in parsed || !parsed.domain.includes(".")) return null
  const { domain } = parsed
  return { domain, domainKey: hashOf(mailDomain(domain)), ref }
}

/** What each line wants watched, or the Problem with it. */
export async function readWantedLines(
  body: Buffer,
  hashOf: (name: string) => Uint8Array,
  slices: TimeSlices,
): Promise<(Wanted | NamedDomain | Problem)[]> {
  const wanted: (Wanted | NamedDomain | Problem)[] = []
  for (const line of await heldLines(body, WATCH_LINES_MAX, slices)) {
    if (slices.isOver()) await slices.next()
    try {
      wanted.push(wantedOf(lineValue(line), hashOf))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      wanted.push(error)
    }
  }
  return wanted
}

function wantedOf(line: unknown, hashOf: (name: string) => Uint8Array): Wanted | NamedDomain {
  if (!Value.Check(LineSchema, line)) {
    const [fault] = Value.Errors(LineSchema, line)
    throw lineRefusal(`#${fault?.instancePath ?? ""}`, fault?.message ?? "does not fit")
  }
  const { email, phone_number: phone, domain, ref = null, deliver_identity = false } = line
  const [value, another] = [email, phone, domain].filter((each) => each !== undefined)
  if (value === undefined || another !== undefined)
    throw lineRefusal("#/email", "exactly one of email, phone_number and domain must be there")
  if (ref !== null && holdsIdentity(ref)) {
    const { pointer, detail } = namesSomebody("#/ref")
    throw lineRefusal(pointer, detail)
  }
  if (domain !== undefined) {
    if (deliver_identity)
      throw lineRefusal("#/deliver_identity", "a domain has no identity to be delivered")
    const named = namedDomain(domain, ref, hashOf)
    if (named === null) throw lineRefusal("#/domain", NO_DOMAIN)
    return named
  }
  const type = email === undefined ? "phone" : "email"
  return { type, value, ref, deliverIdentity: deliver_identity }
}

function lineRefusal(pointer: string, detail: string): Problem {
  return new Problem("invalid-request", "A member of the line does not fit.", {
    errors: [{ pointer, detail }],
  })
}

/** Refs are kept as they are, and stand in every event. */
function namesSomebody(pointer: string): { pointer: string; detail: string } {
  return { pointer, detail: "must not hold an e-mail address or a phone number" }
}
