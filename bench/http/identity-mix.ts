import { demoEmails, demoPhones } from "../../packages/server/src/corpus/demo-identities.ts"

/** In most traffic most identities are in no corpus. */
export const UNKNOWN_SHARE = 0.6

/** Enough that no cache of recent answers, here or in a processor, could hold them all by accident. */
const COUNT = 5_000
const SEED = 20_250_101

/** Addresses to score, the same in every run: 60 % in no corpus, the rest those of the demo data. */
export function emailMix(): readonly string[] {
  return mixed(
    demoEmails.map(({ email }) => email),
    unknownEmail,
  )
}

/** Numbers to score, mixed as the addresses are. */
export function phoneMix(): readonly string[] {
  return mixed(
    demoPhones.map(({ phone }) => phone),
    unknownPhone,
  )
}

type Random = () => number

function mixed(known: readonly string[], unknown: (random: Random) => string): readonly string[] {
  const random = seeded(SEED)
  return Array.from({ length: COUNT }, () =>
    random() < UNKNOWN_SHARE ? unknown(random) : oneOf(known, random),
  )
}

const GIVEN = ["maria", "li", "omar", "anna", "kofi", "yuki", "ravi", "elena", "tom", "fatima"]
const FAMILY = ["garcia", "wang", "okafor", "novak", "smith", "haddad", "singh", "rossi", "kim"]
const DOMAINS = ["gmail.com", "outlook.com", "yahoo.com", "icloud.com", "firm.example", "uni.test"]

function unknownEmail(random: Random): string {
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
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
