import assert from "node:assert/strict"
import { test } from "node:test"
import { IDENTITY_TAGS, identityKey, parseEmail, passwordFingerprint } from "@assay/core/identity"
import { sha256 } from "@assay/runtime/secrets"
import fc from "fast-check"
import vectors from "../../../core/src/identity/vectors-v2.json" with { type: "json" }
import { combolist } from "../formats/combolist.ts"
import type { RejectReason, RowSink } from "../formats/parsed-row.ts"
import { END_FRAME, readFrames } from "./keyed-rows.ts"
import { Keyer, type KeyerOptions } from "./keyer.ts"
import { PlainLines } from "./plain-lines.ts"

const CASES = process.env["ASSAY_SOAK"] === undefined ? 300 : 20_000
const ROWS = process.env["ASSAY_SOAK"] === undefined ? 5_000 : 100_000
const HOURS = 490_000
const WINDOW_BYTES = 65_536
const WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
const GRAPHIC = Array.from({ length: 94 }, (_, n) => String.fromCharCode(0x21 + n)).join("")
const subkeys = {
  identity: new Uint8Array(32).map((_, n) => 0xa1 + n),
  alias: new Uint8Array(32).map((_, n) => 0x51 + n),
  password: new Uint8Array(32).map((_, n) => 0xc1 + n),
}
const options: KeyerOptions = {
  subkeys,
  kind: "combolist",
  hours: HOURS,
  latestHours: HOURS + 24,
}

type Reject = [number, RejectReason]

interface Keyed {
  readonly frames: string[]
  readonly rejects: Reject[]
  readonly lines: number
  readonly rows: number
  readonly counts: ReturnType<Keyer["takeCounts"]>
  /** Lines that the kernel took. */
  readonly plain: number
}

/**
 * A keyer serves many blocks, as in a parsing thread: making one takes longer than a block does.
 */
const keyers = new Map<
  KeyerOptions,
  { keyer: Keyer; out: { frames: string[]; rejects: Reject[] } }
>()

function keyerOf(as: KeyerOptions): { keyer: Keyer; out: { frames: string[]; rejects: Reject[] } } {
  const known = keyers.get(as)
  if (known !== undefined) return known
  const out = { frames: [] as string[], rejects: [] as Reject[] }
  const keyer = new Keyer(
    as,
    (frame) => void out.frames.push(frame.toString("hex")),
    (line, reason) => void out.rejects.push([line, reason]),
  )
  keyers.set(as, { keyer, out })
  return { keyer, out }
}

/** The result of a block, with lines taken straight from their bytes if possible, or with none. */
function keyed(block: Buffer, delimiter: string, straight: boolean, as = options): Keyed {
  const { keyer, out } = keyerOf(as)
  out.frames = []
  out.rejects = []
  const before = keyer.rows
  let plain = 0
  const sink: RowSink = {
    row: (line, row) => keyer.row(line, row),
    reject: (line, reason) => keyer.reject(line, reason),
    ...(straight
      ? {
          plainLines: (...[bytes, mark, others]: Parameters<Keyer["plainLines"]>) => {
            const after = keyer.plainLines(bytes, mark, (since, from, to) => {
              plain += since
              others(since, from, to)
            })
            plain += after
            return after
          },
        }
      : {}),
  }
  const lines = combolist.parser({ name: "combolist", delimiter }).parse(block, sink)
  keyer.flush()
  return { ...out, lines, rows: keyer.rows - before, counts: keyer.takeCounts(), plain }
}

const domains = [
  "gmail.com",
  "GMail.com",
  "googlemail.com",
  "yahoo.com",
  "pm.me",
  "web.de",
  "mail.example",
  "xn--bcher-kva.example",
  "a--b.example",
  "-bad.example",
  "bad-.example",
  "no-dot",
  "1.2.3.4",
  "under_score.example",
  "two..dots.example",
  "example.c0m",
  `${"a".repeat(64)}.example`,
  "bücher.example",
  "",
]
const local = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9]{1,12}$/) },
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Za-z0-9._]{1,14}$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z0-9._-]{1,10}$/) },
  fc.stringMatching(/^[a-z0-9.+_"'| -]{0,10}$/),
  fc.constant("x".repeat(65)),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => text.replaceAll("\n", "")),
)
const secret = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[!-~]{5,19}$/) },
  fc.stringMatching(/^[!-~]{0,24}$/),
  fc.constantFrom("", "-", "NULL", "\\N", " spaced ", "pass word", "äöüß", "a".repeat(32)),
)
const line = fc
  .tuple(
    local,
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom("mail.example", "gmail.com", "web.de", "yahoo.com") },
      fc.constantFrom(...domains),
    ),
    fc.constantFrom(":", ":", ":", ";", " ", ""),
    secret,
  )
  .map(([name, domain, mark, password]) => `${name}@${domain}${mark}${password}`)
const file = fc
  .tuple(
    fc.array(line, { maxLength: 12 }),
    fc.constantFrom("\n", "\r\n", "\n\n", "\r", "\r\r\n", "\n\ufeff"),
    fc.constantFrom("", "\n", "\r\n", "\r"),
  )
  .map(([lines, end, last]) => lines.join(end) + last)

const watching: KeyerOptions = { ...options, domains: ["web.de", "mail.example", "gmail.com"] }

test("a line taken straight from its bytes comes to what the long way makes of it", () => {
  let plain = 0
  fc.assert(
    fc.property(
      file,
      fc.constantFrom(":", ";"),
      fc.constantFrom(options, watching),
      (text, delimiter, as) => {
        const block = Buffer.from(text)
        const straight = keyed(block, delimiter, true, as)
        const long = keyed(block, delimiter, false, as)
        plain += straight.plain
        assert.deepEqual({ ...straight, plain: 0 }, long)
      },
    ),
    { numRuns: CASES, seed: 20_261_115 },
  )
  assert.ok(plain > CASES / 4, `only ${plain} lines were taken`)
})

/** Bytes of any kind between the marks that matter. */
const noise = fc
  .array(
    fc.oneof(
      fc.constantFrom("a@b.example:secret", "@", ":", "\n", "\r", "\r\n", "\0", "\ufeff", ".", "-"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join("")))
const bytes = fc.oneof(
  noise,
  fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
)

test("bytes that are no list come to the same rejects", () => {
  fc.assert(
    fc.property(bytes, (block) => {
      const straight = keyed(block, ":", true)
      assert.deepEqual({ ...straight, plain: 0 }, keyed(block, ":", false))
    }),
    { numRuns: CASES, seed: 20_261_118 },
  )
})

test("random rows have the core's keys and fingerprints, in their order", async () => {
  const random = xorshift(20_261_118)
  const text = (letters: string, min: number, max: number): string =>
    Array.from({ length: min + (random() % (max - min + 1)) }, () => {
      return letters.charAt(random() % letters.length)
    }).join("")
  const rows = Array.from({ length: ROWS }, () => ({
    address: `${text(WORD, 1, 20)}@${text(WORD, 1, 12)}${random() % 500}.example`,
    password: text(GRAPHIC, 5, 19),
  }))
  const block = Buffer.from(rows.map((row) => `${row.address}:${row.password}\n`).join(""))
  const straight = keyed(block, ":", true)
  assert.equal(straight.plain, ROWS)
  const frames = straight.frames.map((frame) => Buffer.from(frame, "hex"))
  let at = 0
  for await (const { count, keysHigh, keysLow, heads } of readFrames(streamOf(frames))) {
    for (let n = 0; n < count; n++, at++) {
      const { address, password } = rows[at] ?? { address: "", password: "" }
      const parsed = parseEmail(address)
      assert.ok(!("fault" in parsed))
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
      const fingerprint = passwordFingerprint(sha256, subkeys.password, key, Buffer.from(password))
      const bigEndian = Buffer.from(key)
      assert.equal(keysHigh.readBigUInt64LE(n * 8), bigEndian.readBigUInt64BE(0), address)
      assert.equal(keysLow.readBigUInt64LE(n * 8), bigEndian.readBigUInt64BE(8), address)
      const low = Number(heads.readBigUInt64LE(n * 8) & 0xffff_ffffn)
      assert.equal(low, ((0x8000 | fingerprint) << 16) >>> 0, address)
    }
  }
  assert.equal(at, ROWS)
  assert.deepEqual(straight.frames, keyed(block, ":", false).frames)
})

test("every vector of the core has its key and its fingerprint", async () => {
  const own = {
    identity: Buffer.from(vectors.subkeys.identity, "hex"),
    alias: Buffer.from(vectors.subkeys.alias, "hex"),
    password: Buffer.from(vectors.subkeys.password, "hex"),
  }
  const as = { ...options, subkeys: own }
  const forms = vectors.emails.map(({ input }) => input)
  const lines = [
    ...forms.map((input) => `${input}:hunter2`),
    ...vectors.passwords.map(({ identity, password }) => `${identity}:${password}`),
  ]
  const block = Buffer.from(lines.join("\n"))
  const straight = keyed(block, ":", true, as)
  assert.deepEqual({ ...straight, plain: 0 }, keyed(block, ":", false, as))
  assert.ok(straight.plain >= 10, `only ${straight.plain} lines were taken`)
  let plain = 0
  for (const { input, canonical, key } of vectors.emails) {
    const one = keyed(Buffer.from(`${input}:hunter2`), ":", true, as)
    if (one.plain === 0) continue
    plain++
    const [row] = await rowsOf(one)
    assert.deepEqual([input.toLowerCase(), row?.key], [canonical, key])
  }
  assert.ok(plain >= 10, `only ${plain} addresses were plain`)
  for (const { identity, password, fingerprint } of vectors.passwords) {
    const one = keyed(Buffer.from(`${identity}:${password}`), ":", true, as)
    const [row] = await rowsOf(one)
    if (one.plain > 0) assert.equal(row?.fingerprint, fingerprint, identity)
  }
})

test("a list cut at any byte comes to what the long way makes of both parts", () => {
  const block = Buffer.from(
    "\ufeffa.b@mail.example:secret1\r\nÄ@x.example:pass\nname-x@yahoo.com:secret\r\n" +
      "NAME_1@Web.DE:secret;2\n\nx@web.de:5f4dcc3b5aa765d61d8327deb882cf99\nlast@gmail.com:12345",
  )
  for (let cut = 0; cut <= block.length; cut++) {
    for (const part of [block.subarray(0, cut), block.subarray(cut)]) {
      const straight = keyed(part, ":", true, watching)
      assert.deepEqual({ ...straight, plain: 0 }, keyed(part, ":", false, watching), String(cut))
    }
  }
})

test("lines at the border of what the kernel holds at once, and longer than it, are read", () => {
  const plain = "name@mail.example:secret\n"
  for (let over = -plain.length - 2; over <= 2; over++) {
    const long = "x".repeat(WINDOW_BYTES + over)
    for (const text of [`${long}\n${plain}`, `${plain}${long}\n${plain}${long}`]) {
      const block = Buffer.from(text + plain.repeat(3))
      const straight = keyed(block, ":", true)
      assert.deepEqual({ ...straight, plain: 0 }, keyed(block, ":", false), String(over))
    }
  }
  const many = Buffer.from(plain.repeat((3 * WINDOW_BYTES) / plain.length))
  assert.deepEqual(keyed(many, ":", true).frames, keyed(many, ":", false).frames)
})

test("names, domains and passwords of every length, at and over the limits of a plain line", () => {
  let taken = 0
  for (let length = 1; length <= 70; length++) {
    const lines = [
      `${"n".repeat(length)}@m.example:secret`,
      `n@${"m".repeat(Math.min(length, 63))}.example:secret`,
      `n@m.example:${"p".repeat(length)}`,
    ]
    for (const text of lines) {
      const straight = keyed(Buffer.from(text), ":", true)
      taken += straight.plain
      assert.deepEqual({ ...straight, plain: 0 }, keyed(Buffer.from(text), ":", false), text)
    }
  }
  // Names up to 45, domains up to 45, passwords of 5 to 19.
  assert.equal(taken, 45 + 45 + 15)
})

test("domains seen before are told from others, however many there are", () => {
  const lines = Array.from({ length: 500 }, (_, n) => `name${n % 7}@d${n % 61}.example:secret${n}`)
  const block = Buffer.from(lines.join("\n"))
  const straight = keyed(block, ":", true)
  assert.equal(straight.plain, 500)
  assert.deepEqual(straight.frames, keyed(block, ":", false).frames)
})

test("more domains than the kernel keeps are forgotten and asked about again", () => {
  const kernel = new PlainLines(subkeys, () => -1)
  const count = 65_536 + 3
  const domains = Array.from({ length: count }, (_, n) => `a@${n.toString(36)}.example:secret\n`)
  const block = Buffer.from([...domains, ...domains.slice(0, 1), ...domains.slice(-1)].join(""))
  const keys: string[] = []
  let others = 0
  kernel.read(block, 0x3a, 0, {
    rows: ({ keysHigh }, from, to) => {
      for (let row = from; row < to; row++)
        keys.push(Buffer.from(keysHigh.subarray(row * 8, row * 8 + 8)).toString("hex"))
    },
    watched: () => assert.fail("nobody watches"),
    others: () => others++,
  })
  assert.equal(others, 0)
  assert.equal(keys.length, count + 2)
  assert.equal(new Set(keys).size, count)
  assert.deepEqual(keys.slice(-2), [keys[0], keys[count - 1]])
})

test("rows that cannot be dated are left to the long way", () => {
  const late = { ...options, hours: HOURS + 25 }
  const block = Buffer.from("name@mail.example:secret\n")
  const straight = keyed(block, ":", true, late)
  assert.deepEqual(straight, keyed(block, ":", false, late))
  assert.deepEqual(straight.rejects, [[1, "date-out-of-range"]])
})

test("nothing of a line is left in the kernel's memory, nor a subkey", () => {
  const kernel = new PlainLines(subkeys, () => -1)
  const lines = Array.from(
    { length: 3_001 },
    (_, n) => `canary-${n}@mail.example:pass-canary${n}\n`,
  )
  const block = Buffer.from(`${lines.join("")}odd canary+1@mail.example:pass-canary\n`)
  const seen: string[] = []
  const sink = {
    rows: () => void seen.push("rows"),
    watched: () => undefined,
    others: () => {
      // It is there while the block is read, so the search would find it.
      if (Buffer.from(kernel.memory).includes("canary")) seen.push("canary")
    },
  }
  kernel.read(block, 0x3a, 0, sink)
  assert.ok(seen.includes("rows") && seen.includes("canary"))
  const fail = { ...sink, others: () => assert.fail("the parser failed") }
  for (const read of [
    () => kernel.read(block, 0x3a, 0, sink),
    () => assert.throws(() => kernel.read(block, 0x3a, 0, fail)),
  ]) {
    read()
    const memory = Buffer.from(kernel.memory)
    assert.ok(memory.includes("mail.example"), "domains are kept, so that they are asked for once")
    assert.ok(!memory.includes("canary"))
    assert.ok(!memory.includes("yranac"))
    // Words of the schedule lie in lanes: four bytes of one line are sixteen bytes apart.
    for (const word of ["cana", "anac", "pass", "ss-c"])
      for (const spelled of [word, Array.from(word).reverse().join("")])
        assert.ok(!memory.includes(spelled), spelled)
    for (const subkey of Object.values(subkeys)) assert.ok(!memory.includes(subkey.subarray(0, 8)))
  }
})

async function* streamOf(frames: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* frames
  yield END_FRAME
}

async function rowsOf({ frames }: Keyed): Promise<{ key: string; fingerprint: number }[]> {
  const rows: { key: string; fingerprint: number }[] = []
  const bytesOf = frames.map((frame) => Buffer.from(frame, "hex"))
  for await (const { count, keysHigh, keysLow, heads } of readFrames(streamOf(bytesOf))) {
    for (let n = 0; n < count; n++) {
      const digits = (column: Buffer): string =>
        column
          .readBigUInt64LE(n * 8)
          .toString(16)
          .padStart(16, "0")
      rows.push({
        key: digits(keysHigh) + digits(keysLow),
        fingerprint: Number((heads.readBigUInt64LE(n * 8) >> 16n) & 0xfffn),
      })
    }
  }
  return rows
}

function xorshift(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
