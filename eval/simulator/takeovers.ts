import type { Random } from "../random.ts"
import { attemptsAfter, type Leak } from "./leaks.ts"
import type { Person } from "./person.ts"
import { attempts, OUTCOME_DAYS, YEAR_DAYS } from "./rates.ts"

export interface PastTakeover {
  readonly age: number
  readonly loss: boolean
}

/** What became of the account, before the moment of scoring and in the year after it. */
export interface Takeovers {
  readonly past: readonly PastTakeover[]
  readonly takenOver: boolean
}

/** Plays the attempts in the order of time. Each works or fails by the facts of that day. */
export function takeoversOf(person: Person, leaks: readonly Leak[], random: Random): Takeovers {
  const past: PastTakeover[] = []
  let takenOver = random.chance((attempts.unexplainedPerYear * OUTCOME_DAYS) / YEAR_DAYS)
  // What leaked before the last change of the password opens nothing after it.
  let changedAge = Infinity
  const tries = leaks
    .filter((leak) => leak.works)
    .flatMap((leak) => leak.attemptAges.map((age) => ({ age, leak })))
  for (let next = oldest(tries); next !== null; next = oldest(tries)) {
    const { age, leak } = next
    if (age <= -OUTCOME_DAYS) break
    const rotatedSince =
      person.rotatedDays !== null && leak.age > person.rotatedDays && age < person.rotatedDays
    if (age < leak.validUntilAge || leak.age > changedAge || rotatedSince) continue
    if (age < 0) takenOver = true
    else past.push({ age, loss: random.chance(attempts.withLoss) })
    if (random.chance(attempts.changedAfter)) changedAge = age
    else tries.push(...attemptsAfter(age, attempts.back, random).map((at) => ({ age: at, leak })))
  }
  return { past, takenOver }
}

interface Try {
  readonly age: number
  readonly leak: Leak
}

/** Takes the attempt that comes first in time; null when there is none left. */
function oldest(tries: Try[]): Try | null {
  let first = 0
  tries.forEach(({ age }, i) => {
    if (age > (tries[first]?.age ?? -Infinity)) first = i
  })
  return tries.splice(first, 1)[0] ?? null
}
