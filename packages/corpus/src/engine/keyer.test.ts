import assert from "node:assert/strict"
import { test } from "node:test"
import {
  aliasTag,
  IDENTITY_TAGS,
  identityKey,
  parseEmail,
  parsePhone,
  passwordFingerprint,
} from "@assay/core/identity"
import fc from "fast-check"
import { sha256 } from "@assay/runtime/secrets"
import { rowOfEntry } from "@assay/stores/segment-block"
import { credentialRow, type ParsedRow, type RejectReason } from "../formats/parsed-row.ts"
import { secretClassOf } from "../formats/secret-class.ts"
import { END_FRAME, type KeyedRows, readFrames } from "./keyed-rows.ts"
import { EARLIEST_HOURS, Keyer } from "./keyer.ts"

const seed = 20_261_115
const ADDRESSES = process.env["ASSAY_SOAK"] === undefined ? 5_000 : 200_000

const subkeys = {
  identity: new Uint8Array(32).fill(1),
  alias: new Uint8Array(32).fill(2),
  password: new Uint8Array(32).fill(3),
}
const HOURS = 490_007
const options = { subkeys, kind: "breach", hours: HOURS, latestHours: HOURS + 24 } as const

interface Keyed {
  readonly key: string
  readonly head: string
}

/** What the keyer makes of rows, in their order: a keyed row or the reason against it. */
async function keyed(rows: readonly ParsedRow[]): Promise<(Keyed | RejectReason)[]> {
  const frames: Buffer[] = []
  const rejected = new Map<number, RejectReason>()
  const keyer = new Keyer(
    options,
    (frame) => void frames.push(frame),
    (line, reason) => void rejected.set(line, reason),
  )
  rows.forEach((row, at) => {
    keyer.row(at, row)
  })
  keyer.flush()
  async function* stream(): AsyncGenerator<Buffer> {
    yield* frames
    yield END_FRAME
  }
  const taken: Keyed[] = []
  for await (const frame of readFrames(stream())) taken.push(...rowsOf(frame))
  assert.equal(taken.length, keyer.rows)
  assert.equal(taken.length + rejected.size, rows.length)
  let next = 0
  return rows.map((_, at) => rejected.get(at) ?? (taken[next++] as Keyed))
}

/** The columns of a frame as rows, big-endian in hexadecimal digits. */
function rowsOf({ count, keysHigh, keysLow, heads }: KeyedRows): Keyed[] {
  const digits = (column: Buffer, row: number): string =>
    column
      .readBigUInt64LE(row * 8)
      .toString(16)
      .padStart(16, "0")
  return Array.from({ length: count }, (_, row) => ({
    key: digits(keysHigh, row) + digits(keysLow, row),
    head: digits(heads, row),
  }))
}

/** The same by the core's own functions. */
function expected({ identity, secret, identityType }: ParsedRow): Keyed | RejectReason {
  const parsed = identityType === "email" ? parseEmail(identity) : parsePhone(identity)
  if ("fault" in parsed) return identityType === "email" ? "not-an-email" : "not-a-phone"
  const [tag, canonical] =
    "canonical" in parsed
      ? [IDENTITY_TAGS.email, parsed.canonical]
      : [IDENTITY_TAGS.phone, parsed.e164]
  const key = identityKey(sha256, subkeys.identity, tag, canonical)
  const secretClass = secretClassOf(secret, false)
  const { head } = rowOfEntry({
    kind: "breach",
    secret: secretClass,
    hours: "canonical" in parsed ? HOURS - (HOURS % 24) : HOURS,
    fingerprint:
      secretClass === "plaintext" && secret !== null
        ? passwordFingerprint(sha256, subkeys.password, key, Buffer.from(secret))
        : null,
    aliasTag: "canonical" in parsed ? aliasTag(sha256, subkeys.alias, key, parsed) : 0,
    batchId: 1,
    item: null,
    confidence: null,
    classes: [],
    value: null,
  })
  return { key: Buffer.from(key).toString("hex"), head: Buffer.from(head).toString("hex") }
}

const plainLocal = fc.stringMatching(
  /^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,20}(?:\.[a-zA-Z0-9+_-]{1,10}){0,2}$/,
)
const oddUnit = fc.oneof(
  fc.constantFrom(...Array.from('aB0.-+_@"\\ \t:;,()<>éßİıςΣ密😀\u0301\u00a0\u200b\u202e\ufffd\0')),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
)
const oddLocal = fc.string({ unit: oddUnit, maxLength: 70 })
const local = fc.oneof(
  { weight: 5, arbitrary: plainLocal },
  { weight: 2, arbitrary: oddLocal },
  { weight: 1, arbitrary: oddLocal.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`) },
)
const domain = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "gmail.com",
      "googlemail.com",
      "yahoo.com",
      "pm.me",
      "me.com",
      "ya.ru",
      "Mail.Example",
      "mail.example.",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.stringMatching(
      /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,20}[a-zA-Z0-9])?\.(example|co\.uk|COM)$/,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "bücher.example",
      "xn--bcher-kva.example",
      "xn--a.example",
      "例子。广告",
      "faß.example",
      "localhost",
      "[192.0.2.1]",
      "-a.example",
      "a..example",
      "",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: oddUnit, maxLength: 80 }) },
)
const address = fc
  .tuple(
    fc.constantFrom("", "", "", " ", "\t"),
    local,
    fc.constantFrom("@", "@", "@", "@", ""),
    domain,
  )
  .map((parts) => parts.join(""))
const password = fc.oneof(
  fc.constant(null),
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("NULL", "5f4dcc3b5aa765d61d8327deb882cf99", "é".repeat(3000)),
)

test("the keyer gives the core's key, alias tag and fingerprint, or rejects what the core refuses", async () => {
  const rows = fc.array(
    fc.tuple(address, password).map(([text, secret]) => credentialRow("email", text, secret)),
    { minLength: 100, maxLength: 100 },
  )
  let accepted = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(rows, async (many) => {
      const want = many.map(expected)
      assert.deepEqual(await keyed(many), want)
      const faults = want.filter((one) => typeof one === "string").length
      refused += faults
      accepted += want.length - faults
    }),
    { seed, numRuns: ADDRESSES / 100 },
  )
  // Both accepted and refused addresses must occur, or the comparison proves nothing.
  assert.ok(accepted > ADDRESSES / 3, `only ${accepted} were accepted`)
  assert.ok(refused > ADDRESSES / 20, `only ${refused} were refused`)
})

test("phone numbers get the core's key and keep their hour", async () => {
  const texts = [
    "+61491570156",
    "+46701740605",
    "+999123456789",
    "61491570156",
    "+61 491",
    "",
    "+0",
  ]
  const rows = texts.map((text) => credentialRow("phone", text, "x"))
  assert.deepEqual(await keyed(rows), rows.map(expected))
})

test("a long identity or password after a short one leaves nothing of the other behind", async () => {
  const long = `${"a".repeat(64)}@${"b".repeat(60)}.example`
  const rows = [
    credentialRow("email", "a@mail.example", "short"),
    credentialRow("email", long, "x".repeat(1 << 20)),
    credentialRow("email", "a@mail.example", "short"),
  ]
  const [first, second, third] = await keyed(rows)
  assert.deepEqual([first, second, third], rows.map(expected))
  assert.deepEqual(first, third)
})

test("rows dated before 1990 or after the latest hour are rejected, those on the edge are not", async () => {
  const dated = (hours: number): ParsedRow => ({
    ...credentialRow("email", "a@mail.example", null),
    hours,
  })
  const reasons = await keyed(
    [EARLIEST_HOURS - 1, EARLIEST_HOURS, HOURS + 24, HOURS + 25].map(dated),
  )
  assert.deepEqual(
    reasons.map((one) => (typeof one === "string" ? one : "taken")),
    ["date-out-of-range", "taken", "taken", "date-out-of-range"],
  )
})
