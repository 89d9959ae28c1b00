import type { Random } from "../random.ts"

// Local parts as people and as programs make them. The names are among the most common of the
// public domain lists of the United States census, Spain and Germany.
const GIVEN = [
  "james",
  "mary",
  "robert",
  "linda",
  "michael",
  "susan",
  "david",
  "sarah",
  "maria",
  "jose",
  "carmen",
  "antonio",
  "lucia",
  "peter",
  "ursula",
  "hans",
  "anna",
  "klaus",
  "julia",
  "paul",
] as const
const FAMILY = [
  "smith",
  "johnson",
  "williams",
  "brown",
  "jones",
  "miller",
  "davis",
  "wilson",
  "taylor",
  "garcia",
  "martinez",
  "lopez",
  "sanchez",
  "fernandez",
  "mueller",
  "schmidt",
  "schneider",
  "fischer",
  "weber",
  "wagner",
] as const
const WORDS = ["blue", "sun", "star", "happy", "music", "moon", "rock", "sweet", "cool"] as const
const LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789"

export function humanLocalPart(random: Random): string {
  const given = random.one(GIVEN)
  const family = random.one(FAMILY)
  const forms: [string, ...string[]] = [
    `${given}.${family}`,
    `${given}${family}`,
    `${given.slice(0, 1)}${family}`,
    `${given}${random.below(100)}`,
    `${given}.${family}${random.below(100)}`,
    `${given}${1950 + random.below(60)}`,
    `${random.one(WORDS)}${random.one(WORDS)}${random.below(1_000)}`,
  ]
  return random.one(forms)
}

export function generatedLocalPart(random: Random): string {
  if (random.chance(0.4)) return `${random.one(GIVEN)}${random.below(10_000_000)}`
  const length = 8 + random.below(8)
  return Array.from({ length }, () =>
    LETTERS_AND_DIGITS.charAt(random.below(LETTERS_AND_DIGITS.length)),
  ).join("")
}
