import type { Random } from "../random.ts"
import { people, YEAR_DAYS } from "./rates.ts"

export type DomainClass = keyof typeof people.domains

/** The person who uses an address. Nothing here is visible to the service. */
export interface Person {
  readonly abuser: boolean
  readonly domain: DomainClass
  readonly mailboxDays: number
  readonly reuser: boolean
  /** Days since a credential change that this service confirmed. */
  readonly rotatedDays: number | null
}

export function somePerson(random: Random): Person {
  const abuser = random.chance(people.abusers)
  return {
    abuser,
    domain: random.pick(abuser ? people.abuserDomains : people.domains),
    mailboxDays: abuser ? abuserMailboxDays(random) : honestMailboxDays(random),
    reuser: random.chance(people.reusers),
    rotatedDays: random.chance(people.rotated) ? random.between(0, YEAR_DAYS) : null,
  }
}

function honestMailboxDays(random: Random): number {
  const share = random.share()
  let [lowShare, lowDays]: readonly [number, number] = people.mailboxDays[0]
  for (const [highShare, highDays] of people.mailboxDays) {
    if (share < highShare) {
      return lowDays + ((highDays - lowDays) * (share - lowShare)) / (highShare - lowShare)
    }
    ;[lowShare, lowDays] = [highShare, highDays]
  }
  return lowDays
}

function abuserMailboxDays(random: Random): number {
  return random.chance(people.abuserFreshShare)
    ? random.exponential(people.abuserFreshMeanDays)
    : random.between(0, people.abuserAgedDaysMax)
}
