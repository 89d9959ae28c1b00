import { demoPhones } from "../../packages/server/src/demo/demo-identities.ts"
import type { KnownEmail } from "./known-identities.ts"

/**
 * Shares of the addresses by the number of exposures that the index has of each. Most addresses in
 * most traffic are in no corpus.
 */
const EXPOSURES = [
  { share: 0.6, least: 0, most: 0 },
  { share: 0.3, least: 1, most: 4 },
  { share: 0.09, least: 5, most: 15 },
  { share: 0.01, least: 60, most: 60 },
] as const
/** Of the numbers; the rest are those of the demo data. */
const UNKNOWN_SHARE = 0.6
export const MIX = "60 % unknown, 30 % with 1-4, 9 % with 5-15 and 1 % with 60 exposures"

/**
 * Enough that no cache of recent answers, here or in a processor, could hold them all by accident.
 */
const COUNT = 5_000
const SEED = 20_250_101

/** Addresses to score with how often each was exposed, the same in every run. */
export function emailMix(): readonly KnownEmail[] {
  const random = seeded(SEED)
  const mix: KnownEmail[] = []
  const taken = new Set<string>()
  while (mix.length < COUNT) {
    const email = anyEmail(random)
    if (taken.has(email)) continue
    taken.add(email)
    mix.push({ email, exposures: exposuresOf(mix.length / COUNT, random) })
  }
  return mix.sort(() => random() - 0.5)
}

/** Numbers to score, mixed as the addresses are. */
export function phoneMix(): readonly string[] {
  const known = demoPhones.map(({ phone }) => phone)
  const random = seeded(SEED)
  return Array.from({ length: COUNT }, () =>
    random() < UNKNOWN_SHARE ? unknownPhone(random) : oneOf(known, random),
  )
}

function exposuresOf(place: number, random: Random): number {
  let reached = 0
  for (const { share, least, most } of EXPOSURES) {
    reached += share
    if (place < reached) return least + Math.floor(random() * (most - least + 1))
  }
  return 0
}

type Random = () => number

const GIVEN = ["maria", "li", "omar", "anna", "kofi", "yuki", "ravi", "elena", "tom", "fatima"]
const FAMILY = ["garcia", "wang", "okafor", "novak", "smith", "haddad", "singh", "rossi", "kim"]
const DOMAINS = ["gmail.com", "outlook.com", "yahoo.com", "icloud.com", "firm.example", "uni.test"]

function anyEmail(random: Random): string {
  const number = Math.floor(random() * 10_000)
  const tag = random() < 0.05 ? "+news" : ""
  return `${oneOf(GIVEN, random)}.${oneOf(FAMILY, random)}${number}${tag}@${oneOf(DOMAINS, random)}`
}

/** Shapes of mobile and landline numbers of several plans; a digit stands for each x. */
const PLANS = ["+4917xxxxxxxx", "+1212555xxxx", "+447700900xxx", "+336xxxxxxxx", "+9198xxxxxxxx"]

function unknownPhone(random: Random): string {
  return oneOf(PLANS, random).replaceAll("x", () => String(Math.floor(random() * 10)))
}

function oneOf(values: readonly string[], random: Random): string {
  return values[Math.floor(random() * values.length)] as string
}

/** Mulberry32: numbers from 0 to 1 that follow from the seed alone. */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
