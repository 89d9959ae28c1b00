import fc from "fast-check"
import {
  BATCH_ID_MAX,
  DATA_CLASSES,
  ENTRY_KINDS,
  HOURS_MAX,
  SECRET_CLASSES,
  type Entry,
} from "../src/entry.ts"

/** A breach with a password, for tests to vary. */
export const breach: Entry = {
  kind: "breach",
  secret: "plaintext",
  hours: 473_352,
  fingerprint: null,
  aliasTag: 0,
  batchId: 1,
  item: null,
  confidence: null,
  classes: [],
  value: null,
}

/** Every entry that has a stored form. */
export function anyEntry(batchId = fc.integer({ min: 1, max: BATCH_ID_MAX })): fc.Arbitrary<Entry> {
  return fc.record(
    {
      kind: fc.constantFrom(...ENTRY_KINDS),
      secret: fc.constantFrom(...SECRET_CLASSES),
      hours: fc.integer({ min: 0, max: HOURS_MAX }),
      fingerprint: fc.option(fc.integer({ min: 0, max: 0x0fff })),
      aliasTag: fc.integer({ min: 0, max: 0xffff }),
      batchId,
      item: fc.option(fc.string({ unit: "grapheme", maxLength: 16 }).filter(fits)),
      confidence: fc.option(fc.integer({ min: 0, max: 1000 }).map((perMille) => perMille / 1000)),
      classes: fc.subarray([...DATA_CLASSES]),
      value: fc.option(fc.integer({ min: -(2 ** 52 - 1), max: 2 ** 52 - 1 })),
    },
    { noNullPrototype: true },
  )
}

function fits(item: string): boolean {
  return Buffer.byteLength(item) <= 64
}
