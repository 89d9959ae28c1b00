import assert from "node:assert/strict"
import { test } from "node:test"
import {
  newIdentityFile,
  open,
  readAgeHeader,
  readIdentities,
  recipientsOf,
  seal,
  sealedBody,
  SMALLEST_CLASS,
  type Suite,
} from "@assay/core/drop"
import { newFilling } from "./mailbox-filling.ts"

const SUITES: readonly Suite[] = ["x25519", "pq"]

async function sealedReply(recipientKeys: number, suite: Suite): Promise<Uint8Array> {
  const made = await Promise.all(
    Array.from({ length: recipientKeys + 1 }, () => newIdentityFile(undefined, suite)),
  )
  return await seal(
    new Uint8Array(SMALLEST_CLASS),
    recipientsOf(made.map(({ recipient }) => recipient)),
  )
}

/** The shares in the stanzas of a file. */
function sharesOf(file: Uint8Array): Buffer[] {
  const header = Buffer.from(file.subarray(0, file.length - sealedBody(file).length)).toString()
  return [...header.matchAll(/^-> \w+ (\S+)$/gm)].map(([, share]) =>
    Buffer.from(share ?? "", "base64"),
  )
}

const P = 2n ** 255n - 19n

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % P]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

/**
 * Whether it is written as X25519 writes a point of the curve itself; half of all numbers are of
 * its twist.
 */
function isCurveShare(share: Uint8Array): boolean {
  const u = BigInt(`0x${Buffer.from(share).reverse().toString("hex")}`)
  return u < P && power(u * u * u + 486_662n * u * u + u, (P - 1n) / 2n) === 1n
}

/** The numbers of ten bits in the first part of an ML-KEM-768 share. */
function latticeNumbers(share: Uint8Array): number[] {
  const bits = Array.from(share.subarray(0, 960), (byte) =>
    byte.toString(2).padStart(8, "0").split("").reverse().join(""),
  ).join("")
  return Array.from({ length: 768 }, (_, n) =>
    parseInt(
      bits
        .slice(10 * n, 10 * n + 10)
        .split("")
        .reverse()
        .join(""),
      2,
    ),
  )
}

/** Those that four of the 3,329 numbers before rounding become; three become any other. */
const ofFour = new Set<number>()
{
  const counts = new Map<number, number>()
  for (let x = 0; x < 3_329; x++) {
    const rounded = Math.round((x * 1024) / 3_329) % 1024
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1)
  }
  for (const [value, count] of counts) if (count === 4) ofFour.add(value)
}

test("T15: filling has the header and the length of a reply, for every number of keys", async () => {
  for (const suite of SUITES) {
    for (const keys of [1, 3]) {
      const [reply, filling] = [await sealedReply(keys, suite), newFilling(keys, suite)]
      assert.equal(filling.length, reply.length)
      assert.deepEqual(readAgeHeader(filling), readAgeHeader(reply))
    }
  }
})

test("T15: the shares of filling are true ones, as those of replies are", async () => {
  const fillings = Array.from({ length: 8 }, () => newFilling(2, "x25519"))
  const files = [await sealedReply(2, "x25519"), ...fillings]
  for (const share of files.flatMap(sharesOf)) assert.ok(isCurveShare(share))
  // What the check is worth: random numbers fail it every other time.
  const random = Array.from({ length: 64 }, () => crypto.getRandomValues(new Uint8Array(32)))
  assert.ok(random.some((share) => !isCurveShare(share)))
  const shares = fillings.flatMap(sharesOf).map((share) => share.toString("hex"))
  assert.equal(new Set(shares).size, shares.length)
})

test("T15: the post-quantum shares of filling are spread as true ones are, and not as random bytes", async () => {
  const shareOfFour = (files: readonly Uint8Array[]): number => {
    const numbers = files.flatMap(sharesOf).flatMap(latticeNumbers)
    return numbers.filter((value) => ofFour.has(value)).length / numbers.length
  }
  const filling = Array.from({ length: 10 }, () => newFilling(3, "pq"))
  for (const share of filling.flatMap(sharesOf)) assert.ok(isCurveShare(share.subarray(1088)))
  // 257 numbers of 1,024: four of 3,329 each make 0.309, random bytes 0.251. 30,720 numbers are
  // spread by 0.003.
  const found = shareOfFour(filling)
  assert.ok(Math.abs(found - (257 * 4) / 3_329) < 0.02, String(found))
})

test("T15: the body of filling is as random as a sealed one, and nobody opens it", async () => {
  const counts = new Array<number>(256).fill(0)
  const bodies = Array.from({ length: 8 }, () => sealedBody(newFilling(1, "x25519")))
  for (const body of bodies) for (const byte of body) counts[byte] = (counts[byte] ?? 0) + 1
  const expected = bodies.reduce((sum, { length }) => sum + length, 0) / 256
  const chiSquare = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
  // 255 degrees of freedom: random bytes pass this but once in ten million runs.
  assert.ok(chiSquare < 385, String(chiSquare))
  const { file } = await newIdentityFile(undefined, "x25519")
  await assert.rejects(open(newFilling(1, "x25519"), await readIdentities(file)), {
    code: "identity",
  })
})

test("T15: what a mailbox answer of filling costs, beside one that is sealed, is printed", async (context) => {
  for (const suite of SUITES) {
    newFilling(2, suite)
    const cost = async (work: () => unknown): Promise<string> => {
      const before = process.cpuUsage()
      for (let n = 0; n < 8; n++) await work()
      const { user, system } = process.cpuUsage(before)
      return ((user + system) / 2_000).toFixed(1)
    }
    const recipients = recipientsOf(
      (await Promise.all([1, 2, 3].map(() => newIdentityFile(undefined, suite)))).map(
        ({ recipient }) => recipient,
      ),
    )
    const filled = await cost(() => newFilling(2, suite))
    const sealed = await cost(() => seal(new Uint8Array(SMALLEST_CLASS), recipients))
    context.diagnostic(`${suite}: ${filled} ms of CPU for four of filling, ${sealed} ms sealed`)
  }
})
