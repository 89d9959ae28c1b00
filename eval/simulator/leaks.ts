import type { Secret } from "@assay/core/score"
import type { Random } from "../random.ts"
import type { Person } from "./person.ts"
import { attempts, circulation, leaks, YEAR_DAYS } from "./rates.ts"

/**
 * Something that happens to a leaked record later. Ages are days before the scoring; below 0 is
 * after it.
 */
export interface Circulation {
  readonly kind: "list" | "repost" | "listing" | "sale"
  readonly age: number
}

/** One time that data of a person got into criminal hands, seen or not. */
export interface Leak {
  readonly kind: "breach" | "address" | "stealer" | "phish"
  readonly age: number
  readonly secret: Secret
  /** Which of the person's passwords it was; null where there was none. */
  readonly password: string | null
  /** That password opens the account here, until the owner stops using it. */
  readonly works: boolean
  readonly validUntilAge: number
  readonly circulation: readonly Circulation[]
  /** When somebody tries it on the account here. */
  readonly attemptAges: readonly number[]
}

export function leaksOf(person: Person, random: Random): Leak[] {
  const life = Math.min(person.mailboxDays, leaks.daysMax)
  const times = (perYear: number): number[] =>
    Array.from({ length: random.poisson((perYear * life) / YEAR_DAYS) }, () =>
      random.between(0, life),
    )
  return [
    ...times(leaks.breachesPerYear).map((age) => breach(person, age, random)),
    ...times(leaks.addressListsPerYear).map(addressList),
    ...times(leaks.stealersPerYear).map((age) => stealer(age, random)),
    ...times(leaks.phishesPerYear).map((age) => phish(age, random)),
  ]
}

function breach(person: Person, age: number, random: Random): Leak {
  const secret = random.pick(leaks.storage)
  const works = random.chance(person.reuser ? leaks.worksForReuser : leaks.worksForOthers)
  const cracked = random.chance(leaks.cracked[secret])
  const spread = cracked ? spreadOf(age, random) : []
  return {
    kind: "breach",
    age,
    secret,
    password: passwordName(works, random),
    works,
    validUntilAge: validUntil(age, random),
    circulation: spread,
    attemptAges: cracked
      ? [
          ...attemptsAfter(age, attempts.breach, random),
          ...spread
            .filter(({ kind }) => kind === "list")
            .flatMap((list) => attemptsAfter(list.age, attempts.list, random)),
        ]
      : [],
  }
}

function addressList(age: number): Leak {
  return {
    kind: "address",
    age,
    secret: "none",
    password: null,
    works: false,
    validUntilAge: age,
    circulation: [],
    attemptAges: [],
  }
}

function stealer(age: number, random: Random): Leak {
  const works = random.chance(leaks.stealerHoldsThis)
  const sold: Circulation[] = []
  if (random.chance(circulation.listed)) {
    const listedAge = age - random.exponential(circulation.listingDelayMeanDays)
    sold.push({ kind: "listing", age: listedAge })
    if (random.chance(circulation.sold)) {
      sold.push({
        kind: "sale",
        age: listedAge - random.exponential(circulation.saleDelayMeanDays),
      })
    }
  }
  return {
    kind: "stealer",
    age,
    secret: "plaintext",
    password: passwordName(works, random),
    works,
    validUntilAge: validUntil(age, random),
    circulation: sold,
    attemptAges: attemptsAfter(age, attempts.stealer, random),
  }
}

function phish(age: number, random: Random): Leak {
  const works = random.chance(leaks.phishHoldsThis)
  return {
    kind: "phish",
    age,
    secret: "plaintext",
    password: passwordName(works, random),
    works,
    validUntilAge: validUntil(age, random),
    circulation: [],
    attemptAges: attemptsAfter(age, attempts.phish, random),
  }
}

// The password of this account is one and the same wherever it leaks; any other is one of many.
function passwordName(works: boolean, random: Random): string {
  return works ? "same" : `other ${random.below(1_000_000)}`
}

function validUntil(age: number, random: Random): number {
  return age - random.exponential(leaks.validHalfLifeDays / Math.LN2)
}

function spreadOf(age: number, random: Random): Circulation[] {
  const events = (kind: "list" | "repost", mean: number, delayMeanDays: number): Circulation[] =>
    Array.from({ length: random.poisson(mean) }, () => ({
      kind,
      age: age - random.exponential(delayMeanDays),
    }))
  return [
    ...events("list", circulation.listsMean, circulation.listDelayMeanDays),
    ...events("repost", circulation.repostsMean, circulation.repostDelayMeanDays),
  ]
}

interface Waves {
  readonly mean: number
  readonly firstShare: number
  readonly firstMeanDays: number
  readonly tailMeanDays: number
}

/** Ages of attempts that follow something: a first wave and a long tail. */
export function attemptsAfter(age: number, waves: Waves, random: Random): number[] {
  return Array.from({ length: random.poisson(waves.mean) }, () => {
    const first = random.chance(waves.firstShare)
    return age - random.exponential(first ? waves.firstMeanDays : waves.tailMeanDays)
  })
}
