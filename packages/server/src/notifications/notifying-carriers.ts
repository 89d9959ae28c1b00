import { timingSafeEqual } from "node:crypto"
import { Problem } from "../base/problem.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import { readNotificationTokens, tokenHash } from "../score/providers/camara/notification-tokens.ts"
import { carrierSourceName } from "../intake/carrier-source.ts"

/** A carrier that may send notifications. */
export interface NotifyingCarrier {
  readonly name: string
  /** What its evidence is kept under. */
  readonly source: string
  /** Whether a number in E.164 is the carrier's to speak for. */
  speaksFor(e164: string): boolean
}

export interface NotifyingCarriers {
  /**
   * The carrier whose token an `Authorization` header carries. Throws a 401 Problem for any other.
   */
  authenticate(authorization: string | undefined): NotifyingCarrier
}

const BEARER = /^Bearer (\S+)$/i

/** If no carrier has a token, nobody may send notifications, and any token is wrong. */
export function openNotifyingCarriers(
  settings: Pick<ProviderSettings, "camara"> | null,
): NotifyingCarriers {
  const ranges = (settings?.camara ?? []).flatMap(({ name, ranges: own }) =>
    own.map((range) => ({ name, range })),
  )
  const known = readNotificationTokens(settings?.camara ?? []).map(({ carrier: name, hash }) => {
    const speaksFor = (e164: string): boolean => carriersOf(e164, ranges).has(name)
    const carrier: NotifyingCarrier = { name, source: carrierSourceName(name), speaksFor }
    return { hash, carrier }
  })
  return {
    authenticate(authorization = "") {
      const token = BEARER.exec(authorization)?.[1]
      if (token === undefined) throw unauthenticated("No token of a carrier was sent.", false)
      const hash = tokenHash(token)
      // All are compared, so that the time taken says nothing of which one was nearly right.
      const [found] = known.filter((each) => timingSafeEqual(each.hash, hash))
      if (found === undefined) throw unauthenticated("The token is no carrier's here.")
      return found.carrier
    },
  }
}

interface CarrierRange {
  readonly name: string
  readonly range: string
}

/**
 * The carriers with the longest range the number begins with: where several share one, each of
 * them.
 */
function carriersOf(e164: string, ranges: readonly CarrierRange[]): ReadonlySet<string> {
  let longest = 0
  const names = new Set<string>()
  for (const { name, range } of ranges) {
    if (range.length < longest || !e164.startsWith(range)) continue
    if (range.length > longest) names.clear()
    longest = range.length
    names.add(name)
  }
  return names
}

function unauthenticated(detail: string, sent = true): Problem {
  const realm = `Bearer realm="assay-carrier"`
  return new Problem("unauthenticated", detail, {
    headers: { "www-authenticate": sent ? `${realm}, error="invalid_token"` : realm },
  })
}
