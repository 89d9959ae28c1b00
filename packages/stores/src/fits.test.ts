import assert from "node:assert/strict"
import { test } from "node:test"
import { Type } from "typebox"
import { Value } from "typebox/value"
import { DocumentSchema } from "./catalogue.ts"
import { fits } from "./fits.ts"

const description = {
  name: "forum-2024",
  title: "Forum, 2024",
  kind: "breach",
  confidence: 0.9,
  classes: ["phone", "dob"],
  flags: { spamList: false, fabricated: false, sensitive: true, verified: true, stealerLog: true },
  eventDate: "2024-03-01",
  acquiredDate: null,
  publishedDate: "2024-04-01",
  circulates: false,
  circulation: {
    decidedBy: "measured",
    identities: 4,
    knownIdentities: 3,
    pairs: 2,
    knownPairs: 1,
    sameAs: 1,
    origins: [{ sourceId: 1, identities: 3 }],
  },
}

/** Every member that a catalogue can have. */
const DOCUMENT = {
  version: 5,
  sources: [{ ...description, id: 1, owner: "shared", importedAt: 1 }],
  batches: [
    {
      id: 1,
      sourceId: 1,
      owner: 7,
      state: "live",
      fingerprint: "a",
      rows: 10,
      identities: 9,
      createdAt: 1,
      liveAt: 2,
      removedAt: null,
      importedBy: "somebody",
      segment: { file: "1.parquet", bytes: 100, sha256: "00" },
      recipe: {
        inputs: ["00"],
        said: { kind: "breach", date: "2024-03-01", format: null, map: { email: "mail" } },
        keyedAs: {
          kind: null,
          eventDate: null,
          fileDays: [
            [1, "2024-03-01"],
            [2, null],
          ],
        },
      },
    },
  ],
  tenants: [7],
  revisions: [[1, description]],
}

const ODD = [
  undefined,
  null,
  true,
  -1,
  0,
  0.5,
  2 ** 33,
  "",
  "x",
  "2024-03-01",
  "shared",
  [],
  [1, 2, 3],
  {},
]

/** A document once for each of its members and items, without that one or with another value. */
function* spoilt(value: unknown): Generator {
  yield* ODD
  if (typeof value !== "object" || value === null) return
  const list = Array.isArray(value) ? (value as unknown[]) : null
  for (const [name, member] of Object.entries(value)) {
    for (const other of spoilt(member))
      yield list?.with(Number(name), other) ?? { ...value, [name]: other }
    const rest = Object.entries(value).filter(([each]) => each !== name)
    yield list?.toSpliced(Number(name), 1) ?? Object.fromEntries(rest)
  }
  yield list?.concat("one more") ?? { ...value, oneMore: 1 }
}

test("a document fits exactly where TypeBox says so, whatever is wrong with it", () => {
  const isDocument = fits(DocumentSchema)
  assert.ok(isDocument(DOCUMENT))
  const fitting = { yes: 0, no: 0 }
  for (const document of spoilt(DOCUMENT)) {
    const expected = Value.Check(DocumentSchema, document)
    assert.equal(isDocument(document), expected, JSON.stringify(document))
    fitting[expected ? "yes" : "no"]++
  }
  assert.ok(fitting.yes > 100 && fitting.no > 1000, JSON.stringify(fitting))
})

test("a schema that is not understood in whole is refused when it is made", () => {
  assert.throws(() => fits(Type.Object({ a: Type.String({ format: "date" }) })), /format/)
  assert.throws(() => fits(Type.Unsafe({ type: "float" })), /float/)
})
