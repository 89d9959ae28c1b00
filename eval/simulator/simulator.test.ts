import assert from "node:assert/strict"
import { test } from "node:test"
import { SECRETS } from "@assay/core/score"
import { Random } from "../random.ts"
import { seenEvidence } from "./exposures.ts"
import { identityAt } from "./identity.ts"
import { leaksOf, type Leak } from "./leaks.ts"
import { somePerson, type Person } from "./person.ts"
import { leaks as leakRates, people } from "./rates.ts"
import { takeoversOf } from "./takeovers.ts"

const many = <T>(count: number, draw: (random: Random) => T): T[] =>
  Array.from({ length: count }, (_, i) => draw(new Random(99, i)))

const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length

const tenYears: Person = {
  abuser: false,
  domain: "free",
  mailboxDays: 3_650,
  reuser: true,
  rotatedDays: null,
}

/** A leaked password of this very account that is tried once, in half a year. */
const triedLater: Leak = {
  kind: "breach",
  age: 100,
  secret: "plaintext",
  password: "same",
  works: true,
  validUntilAge: -10_000,
  circulation: [],
  attemptAges: [-180],
}

const takenOver = (person: Person, leak: Leak): number =>
  share(many(400, (random) => takeoversOf(person, [leak], random).takenOver))

test("an identity is the same however many others are simulated", () => {
  assert.deepEqual(identityAt(5, 12), identityAt(5, 12))
  assert.notDeepEqual(identityAt(5, 12), identityAt(5, 13))
  assert.notDeepEqual(identityAt(5, 12), identityAt(6, 12))
})

test("people are as the rates say", () => {
  const persons = many(20_000, somePerson)
  assert.ok(Math.abs(share(persons.map(({ abuser }) => abuser)) - people.abusers) < 0.003)
  assert.ok(Math.abs(share(persons.map(({ reuser }) => reuser)) - people.reusers) < 0.015)
  const honest = persons.filter(({ abuser }) => !abuser)
  assert.ok(Math.abs(share(honest.map(({ mailboxDays }) => mailboxDays > 3_650)) - 0.45) < 0.015)
  assert.ok(persons.every(({ mailboxDays }) => mailboxDays >= 0))
})

test("a mailbox of ten years has been in four to five breaches, stored as services store", () => {
  const breaches = many(4_000, (random) => leaksOf(tenYears, random)).map((leaks) =>
    leaks.filter(({ kind }) => kind === "breach"),
  )
  const all = breaches.flat()
  assert.ok(Math.abs(all.length / 4_000 - 4.5) < 0.15)
  assert.ok(all.every(({ age }) => age >= 0 && age <= 3_650))
  for (const secret of ["plaintext", "weak_hash", "salted_hash", "slow_hash"] as const) {
    const stored = share(all.map((leak) => leak.secret === secret))
    assert.ok(Math.abs(stored - leakRates.storage[secret]) < 0.015, secret)
  }
})

test("a password opens the account more often for a reuser", () => {
  const works = (reuser: boolean): number =>
    share(
      many(2_000, (random) => leaksOf({ ...tenYears, reuser }, random))
        .flat()
        .filter(({ kind }) => kind === "breach")
        .map((leak) => leak.works),
    )
  assert.ok(Math.abs(works(true) - leakRates.worksForReuser) < 0.02)
  assert.ok(Math.abs(works(false) - leakRates.worksForOthers) < 0.02)
})

test("an attempt within the year takes an account over while its password works, and only then", () => {
  assert.equal(takenOver(tenYears, triedLater), 1)
  const never = takenOver(tenYears, { ...triedLater, attemptAges: [] })
  assert.ok(never < 0.02, "without an attempt only what comes from no leak")
  const spoilt: readonly [string, Partial<Leak>][] = [
    ["another password", { works: false }],
    ["a password out of use", { validUntilAge: 0 }],
    ["an attempt after the year", { attemptAges: [-400] }],
  ]
  for (const [why, change] of spoilt) {
    assert.equal(takenOver(tenYears, { ...triedLater, ...change }), never, why)
  }
  assert.equal(takenOver({ ...tenYears, rotatedDays: 30 }, triedLater), never)
  assert.equal(takenOver({ ...tenYears, rotatedDays: 200 }, triedLater), 1)
})

test("what lies in the future is not seen, and of the past only a part", () => {
  const leak: Leak = {
    ...triedLater,
    age: 2_000,
    circulation: [
      { kind: "list", age: -5 },
      { kind: "list", age: 400 },
      { kind: "listing", age: 3 },
    ],
  }
  const seen = many(2_000, (random) => seenEvidence([leak], { past: [], takenOver: true }, random))
  const exposures = seen.flatMap((evidence) => evidence.exposures)
  const signals = seen.flatMap((evidence) => evidence.signals)
  assert.ok([...exposures, ...signals].every(({ age }) => age >= 0 && Number.isInteger(age)))
  const lists = exposures.filter(({ kind }) => kind === "combolist")
  assert.ok(lists.every(({ age, pwFp }) => age === 400 && pwFp === null))
  for (const count of [
    lists.length,
    exposures.length - lists.length,
    signals.filter(({ type }) => type === "listing").length,
  ]) {
    assert.ok(count > 1_000 && count < 1_800, String(count))
  }
})

test("no past takeover leaves no trace of one", () => {
  const sampled = many(500, (random) =>
    seenEvidence([triedLater], { past: [], takenOver: true }, random),
  )
  const types = new Set(sampled.flatMap(({ signals }) => signals.map(({ type }) => type)))
  for (const type of ["attack", "monetized", "tested"] as const) assert.ok(!types.has(type))
})

test("only plaintext passwords have a fingerprint, and the account's own is one and the same", () => {
  const inputs = Array.from({ length: 3_000 }, (_, i) => identityAt(1, i).input)
  const exposures = inputs.flatMap((input) => input.exposures ?? [])
  assert.ok(exposures.every(({ pwFp, secret }) => pwFp == null || secret === "plaintext"))
  assert.ok(exposures.some(({ pwFp }) => pwFp === "same"))
  assert.ok(exposures.every(({ secret }) => secret != null && SECRETS.includes(secret)))
})
