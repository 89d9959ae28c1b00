import { timingSafeEqual } from "node:crypto"
import { Problem } from "../base/problem.ts"
import type { ProviderSettings } from "../score/phone/providers/provider-settings.ts"
import { readNotificationTokens, tokenHash } from "../score/phone/providers/notification-tokens.ts"
import { operatorSourceName } from "../intake/operator-source.ts"

/** An operator that may send notifications. */
export interface NotifyingOperator {
  readonly name: string
  /** What its evidence is kept under. */
  readonly source: string
  /** Whether a number in E.164 is the operator's to speak for. */
  speaksFor(e164: string): boolean
}

export interface NotifyingOperators {
  /**
   * The operator whose token an `Authorization` header carries. Throws a 401 Problem for any other.
   */
  authenticate(authorization: string | undefined): NotifyingOperator
}

const BEARER = /^Bearer (\S+)$/i

/**
 * Nobody sends notifications where no operator has a token: whatever token arrives is then a wrong
 * one.
 */
export function openNotifyingOperators(
  settings: Pick<ProviderSettings, "camara"> | null,
): NotifyingOperators {
  const ranges = (settings?.camara ?? []).flatMap(({ name, ranges: own }) =>
    own.map((range) => ({ name, range })),
  )
  const known = (settings === null ? [] : readNotificationTokens(settings)).map(
    ({ operator: name, hash }) => {
      const speaksFor = (e164: string): boolean => operatorsOf(e164, ranges).has(name)
      const operator: NotifyingOperator = { name, source: operatorSourceName(name), speaksFor }
      return { hash, operator }
    },
  )
  return {
    authenticate(authorization = "") {
      const token = BEARER.exec(authorization)?.[1]
      if (token === undefined) throw unauthenticated("No token of an operator was sent.", false)
      const hash = tokenHash(token)
      // All are compared, so that the time taken says nothing of which one was nearly right.
      const [found] = known.filter((each) => timingSafeEqual(each.hash, hash))
      if (found === undefined) throw unauthenticated("The token is no operator's here.")
      return found.operator
    },
  }
}

interface OperatorRange {
  readonly name: string
  readonly range: string
}

/**
 * The operators with the longest range the number begins with: where several share one, each of
 * them.
 */
function operatorsOf(e164: string, ranges: readonly OperatorRange[]): ReadonlySet<string> {
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
