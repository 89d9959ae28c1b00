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
import { deriveSecrets, sha256 } from "../../secrets.ts"
import type { Entry } from "../../stores/exposure-index.ts"
import { entryOfRow } from "../../stores/segment-block.ts"
import type { ParsedRow } from "../formats/format.ts"
import { secretClassOf } from "../formats/secret-class.ts"
import { END_FRAME, FRAME_ROWS, readFrames } from "./keyed-rows.ts"
import { EARLIEST_HOURS, Keyer, type KeyerOptions } from "./keyer.ts"

const { subkeys } = deriveSecrets(Buffer.alloc(32, 7))
const DAY = Date.UTC(2024, 4, 1) / 3_600_000
const options: KeyerOptions = { subkeys, kind: "breach", hours: DAY + 5, latestHours: DAY + 24 }
const empty: ParsedRow = {
  subject: "email",
  identity: "",
  secret: null,
  secretClass: null,
  secretIsHash: false,
  kind: null,
  hours: null,
  item: null,
  confidence: null,
  classes: [],
  value: null,
}

interface Keyed {
  readonly rows: { readonly key: string; readonly entry: Entry }[]
  readonly rejects: [number, string][]
}

/** What the keyer makes of rows, read back from its frames as the sorter reads them. */
async function keyed(rows: readonly ParsedRow[]): Promise<Keyed> {
  const frames: Buffer[] = []
  const rejects: [number, string][] = []
  const keyer = new Keyer(
    options,
    (frame) => void frames.push(frame),
    (line, reason) => void rejects.push([line, reason]),
  )
  for (const [at, row] of rows.entries()) keyer.row(at + 1, row)
  keyer.flush()
  async function* stream(): AsyncGenerator<Buffer> {
    yield* frames
    yield END_FRAME
  }
  const found: Keyed["rows"] = []
  for await (const { count, keysHigh, keysLow, heads, extended } of readFrames(stream())) {
    const bytes = (column: Buffer, row: number): Buffer =>
      Buffer.from(column.subarray(row * 8, row * 8 + 8)).swap64()
    for (let row = 0; row < count; row++) {
      found.push({
        key: Buffer.concat([bytes(keysHigh, row), bytes(keysLow, row)]).toString("hex"),
        entry: entryOfRow(bytes(heads, row), extended.get(row), 1),
      })
    }
  }
  return { rows: found, rejects }
}

/** The same by the core's own functions; null where the core knows no such identity. */
function byCore({
  subject,
  identity,
  secret,
}: ParsedRow): { key: string; entry: Partial<Entry> } | null {
  const parsed = subject === "email" ? parseEmail(identity) : parsePhone(identity)
  if ("fault" in parsed) return null
  const [tag, canonical] =
    "e164" in parsed ? [IDENTITY_TAGS.phone, parsed.e164] : [IDENTITY_TAGS.email, parsed.canonical]
  const key = identityKey(sha256, subkeys.identity, tag, canonical)
  const secretClass = secretClassOf(secret, false)
  return {
    key: Buffer.from(key).toString("hex"),
    entry: {
      kind: "breach",
      secret: secretClass,
      hours: subject === "email" ? DAY : DAY + 5,
      aliasTag: "e164" in parsed ? 0 : aliasTag(sha256, subkeys.alias, key, parsed),
      fingerprint:
        secretClass === "plaintext"
          ? passwordFingerprint(sha256, subkeys.password, key, Buffer.from(secret ?? ""))
          : null,
    },
  }
}

const localPart = fc.oneof(
  fc.stringMatching(/^[a-z0-9._+-]{1,20}$/),
  fc.stringMatching(/^[A-Z]{1,3}\.?[a-z]{0,9}\+?[a-z]{0,4}-?[0-9]{0,3}$/),
  fc.string({ minLength: 1, maxLength: 70, unit: "grapheme" }),
  fc.string({ maxLength: 12, unit: "binary" }),
  fc.constantFrom(
    '"a b"',
    '"ab"',
    '"a\\"b"',
    "a..b",
    ".a",
    "ΟΔΟΣ",
    "straße",
    "İ",
    "a\u0301",
    "+tag",
    "-x",
  ),
)
const domain = fc.oneof(
  fc.domain(),
  fc.constantFrom(
    "gmail.com",
    "GoogleMail.com",
    "yahoo.co.uk",
    "ya.ru",
    "pm.me",
    "me.com",
    "mail.example.",
  ),
  fc.constantFrom(
    "münchen.example",
    "xn--mnchen-3ya.example",
    "faß.example",
    "a_b.example",
    "localhost",
    "[127.0.0.1]",
  ),
  fc.string({ maxLength: 20, unit: "grapheme" }),
)
const address = fc
  .tuple(
    fc.constantFrom("", " ", "\t"),
    localPart,
    fc.constantFrom("@", "@", "@", "@", "@@", ""),
    domain,
  )
  .map((parts) => parts.join(""))
const secret = fc.option(
  fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[0-9a-f]{32}$/)),
)

const ROWS_A_RUN = 100
const numRuns = process.env["ASSAY_SOAK"] === undefined ? 100 : 2_000

test("an address gets the core's key, tag and fingerprint, or is rejected where the core refuses it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ identity: address, secret }), {
        minLength: ROWS_A_RUN,
        maxLength: ROWS_A_RUN,
      }),
      async (given) => {
        const rows = given.map((each) => ({ ...empty, ...each }))
        const { rows: found, rejects } = await keyed(rows)
        const wanted = rows.map(byCore)
        assert.deepEqual(
          rejects,
          wanted.flatMap((each, at) => (each === null ? [[at + 1, "not-an-email"]] : [])),
        )
        const kept = wanted.filter((each) => each !== null)
        assert.equal(found.length, kept.length)
        for (const [at, { key, entry }] of found.entries()) {
          assert.equal(key, kept[at]?.key)
          assert.deepEqual({ ...entry, ...kept[at]?.entry }, entry)
        }
      },
    ),
    { seed: 20_261_115, numRuns },
  )
})

test("a phone number gets the core's key and keeps its hour; anything else is rejected", async () => {
  const numbers = ["+61491570156", "+46701740605", "0491570156", "+1 212 555 0100", "+", ""]
  const rows = numbers.map((identity): ParsedRow => ({ ...empty, subject: "phone", identity }))
  const { rows: found, rejects } = await keyed(rows)
  const wanted = rows.map(byCore)
  assert.deepEqual(
    found.map(({ key }) => key),
    wanted.flatMap((each) => (each === null ? [] : [each.key])),
  )
  assert.equal(found.length, 2)
  assert.ok(found.every(({ entry }) => entry.hours === DAY + 5))
  assert.deepEqual(
    rejects.map(([line, reason]) => [line, reason]),
    [3, 4, 5, 6].map((line) => [line, "not-a-phone"]),
  )
})

test("what a row says for itself wins over the import, and dates out of range are rejected", async () => {
  const identity = "ana@mail.example"
  const { rows, rejects } = await keyed([
    {
      ...empty,
      identity,
      kind: "listing",
      hours: DAY - 30,
      item: "lot 7",
      confidence: 0.25,
      classes: ["dob"],
      value: -3,
    },
    { ...empty, identity, secret: "x", secretClass: "slow_hash" },
    { ...empty, identity, secret: "not a known form", secretIsHash: true },
    { ...empty, identity, hours: EARLIEST_HOURS - 1 },
    { ...empty, identity, hours: DAY + 25 },
    { ...empty, identity, hours: EARLIEST_HOURS },
  ])
  const [first, slow, unknown, oldest] = rows.map(({ entry }) => entry)
  assert.deepEqual(
    [first?.kind, first?.hours, first?.item, first?.confidence, first?.classes, first?.value],
    ["listing", DAY - 48, "lot 7", 0.25, ["dob"], -3],
  )
  assert.deepEqual([slow?.secret, slow?.fingerprint], ["slow_hash", null])
  assert.deepEqual([unknown?.secret, unknown?.fingerprint], ["unknown", null])
  assert.equal(oldest?.hours, EARLIEST_HOURS)
  assert.deepEqual(rejects, [
    [4, "date-out-of-range"],
    [5, "date-out-of-range"],
  ])
})

test("more rows than a frame holds come out in order, and a stream without its last frame is refused", async () => {
  const rows = Array.from({ length: 2 * FRAME_ROWS + 3 }, (_, n) => ({
    ...empty,
    identity: `u${n}@mail.example`,
  }))
  const { rows: found } = await keyed(rows)
  assert.deepEqual(
    found.map(({ key }) => key),
    rows.map((row) => byCore(row)?.key),
  )
  async function* cut(): AsyncGenerator<Buffer> {
    yield END_FRAME.subarray(0, 4)
  }
  await assert.rejects(readFrames(cut()).next(), { code: "cut-short" })
})
