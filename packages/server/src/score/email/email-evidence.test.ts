import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { parseEmail, type ParsedEmail } from "@assay/core/identity"
import type { Caller } from "../../accounts/callers.ts"
import { plans } from "../../accounts/plans.ts"
import { DEFAULT_SCORING } from "../../accounts/tenant-settings.ts"
import type { Batch, Entry, Found, Source } from "@assay/stores/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import { domainTrust } from "./domain-trust.ts"
import { emailEvidence } from "./email-evidence.ts"
import { type ListCategory, openLists } from "./lists.ts"

const listsDirectory = mkdtempSync(join(tmpdir(), "assay-evidence-lists-"))
after(() => rmSync(listsDirectory, { recursive: true }))

const nowMs = Date.UTC(2026, 10, 14, 15, 30)
const today = Math.floor(nowMs / DAY_MS)
const enterprise: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.enterprise,
  scopes: new Set(),
  person: null,
  shadow: null,
  ...DEFAULT_SCORING,
}

function parsed(text: string): ParsedEmail {
  const email = parseEmail(text)
  if ("fault" in email) assert.fail(email.detail)
  return email
}

type Seen = Partial<Entry> & { readonly of?: Partial<Source>; readonly daysAgo?: number }

/** What the index would say: each observation from a source of its own. */
function found(...seen: Seen[]): Found {
  const sources = new Map<number, Source>()
  const batches = new Map<number, Batch>()
  const entries = seen.map(({ of = {}, daysAgo = 10, ...entry }, at) => {
    const id = of.id ?? at + 1
    const flags = { spamList: false, fabricated: false, sensitive: false, verified: false }
    sources.set(id, {
      id,
      owner: "shared",
      name: `s${id}`,
      title: "",
      kind: "breach",
      confidence: 0.8,
      classes: [],
      flags,
      eventDate: null,
      circulates: false,
      importedAt: nowMs,
      ...of,
    })
    batches.set(at + 1, {
      id: at + 1,
      sourceId: id,
      owner: "shared",
      state: "live",
      fingerprint: "",
      rows: 1,
      identities: 1,
      createdAt: nowMs,
      liveAt: nowMs,
      removedAt: null,
    })
    const plain = {
      kind: "breach" as const,
      secret: "plaintext" as const,
      fingerprint: null,
      aliasTag: 0,
      item: null,
      confidence: null,
      classes: [],
      value: null,
    }
    return {
      ...plain,
      hours: (today - daysAgo) * 24,
      batchId: at + 1,
      owner: "shared" as const,
      ...entry,
    }
  })
  return { entries, cut: 0, erased: false, catalogue: { version: 1, sources, batches } }
}

function evidence(
  of: Found,
  more: { email?: string; caller?: Caller; category?: ListCategory; aliasTag?: number } = {},
): ReturnType<typeof emailEvidence> {
  const { email = "ana.silva@mail.example", caller = enterprise, category, aliasTag = 0 } = more
  const address = parsed(email)
  const lists = openLists(listsDirectory)
  if (category !== undefined) {
    const file = join(listsDirectory, "test.csv")
    writeFileSync(file, `${address.domain},${category},`)
    lists.reload()
    rmSync(file)
  }
  return emailEvidence({
    aliasTag,
    found: of,
    domain: domainTrust(address, lists, null, nowMs),
    network: { mx: null, domainAge: null, disposableServer: null, coverage: 0, explained: {} },
    context: null,
    caller,
    nowMs,
  })
}

test("ages are whole days between UTC dates, and a date ahead is today", () => {
  const { input } = evidence(found({ daysAgo: 0 }, { daysAgo: 1 }, { daysAgo: -1 }))
  assert.deepEqual(
    input.exposures?.map(({ age }) => age),
    [0, 1, 0],
  )
  assert.equal(input.as_of, "2026-11-14")
})

test("an entry's own confidence and classes add to its source's", () => {
  const { input } = evidence(
    found(
      { confidence: 0.3, classes: ["phone"], of: { confidence: 0.9, classes: ["dob"] } },
      { of: { confidence: 0.9 } },
    ),
  )
  assert.deepEqual(
    input.exposures?.map(({ conf }) => conf),
    [0.3, 0.9],
  )
  assert.deepEqual(input.exposures[0]?.classes, ["dob", "phone"])
})

test("a spam list or an invented breach proves the address and nothing else", () => {
  for (const flag of ["spamList", "fabricated"] as const) {
    const flags = {
      spamList: false,
      fabricated: false,
      sensitive: false,
      verified: false,
      [flag]: true,
    }
    const [exposure] =
      evidence(found({ fingerprint: 7, of: { flags, classes: ["payment"] } })).input.exposures ?? []
    assert.equal(exposure?.secret, "none")
    assert.deepEqual([exposure.classes, exposure.pwFp], [undefined, undefined])
  }
})

test("passwords of spam lists and invented breaches count towards no reuse, and circulating makes them no repost", () => {
  const flags = { spamList: false, fabricated: true, sensitive: false, verified: false }
  const many = Array.from({ length: 11 }, (_, n) => ({ fingerprint: 100 + n }))
  const invented = { fingerprint: 9, of: { flags } }
  // Eleven and one that is shared: with the invented ones counted it would be past twelve, and
  // under three sources.
  const { input } = evidence(found(...many, { fingerprint: 9 }, invented, invented))
  assert.equal(input.exposures?.filter(({ pwFp }) => pwFp !== undefined).length, 12)
  const more = evidence(found(...many, { fingerprint: 9 }, { fingerprint: 9 }, invented))
  assert.deepEqual(
    more.input.exposures?.flatMap(({ pwFp }) => pwFp ?? []),
    [],
  )
  const passedOn = evidence(found({ kind: "combolist", of: { flags, circulates: true } })).input
  assert.deepEqual(passedOn.signals, [])
  assert.equal(passedOn.exposures?.[0]?.secret, "none")
})

test("a source that circulates others is a repost, not an exposure of its own", () => {
  const { input } = evidence(found({ kind: "combolist", of: { circulates: true } }))
  assert.deepEqual(input.exposures, [])
  assert.deepEqual(
    input.signals?.map(({ type }) => type),
    ["repost"],
  )
  const reused = found(
    { fingerprint: 5 },
    { fingerprint: 6 },
    ...Array.from({ length: 12 }, () => ({ fingerprint: 5, of: { circulates: true } })),
  )
  assert.deepEqual(
    evidence(reused).input.exposures?.map(({ pwFp }) => pwFp),
    ["5", "6"],
  )
})

test("fingerprints are handed on for breaches, stealer logs and phishing only", () => {
  const kinds = ["breach", "stealer", "phish", "combolist", "paste"] as const
  const { input } = evidence(found(...kinds.map((kind) => ({ kind, fingerprint: 5 }))))
  assert.deepEqual(
    input.exposures?.map(({ pwFp }) => pwFp ?? null),
    ["5", "5", "5", null, null],
  )
})

test("with more than twelve fingerprints only those under three sources count", () => {
  const many = Array.from({ length: 10 }, (_, n) => ({ fingerprint: 100 + n }))
  const twelve = evidence(found(...many, { fingerprint: 9 }, { fingerprint: 9 }))
  assert.equal(twelve.input.exposures?.filter(({ pwFp }) => pwFp !== undefined).length, 12)
  const more = evidence(
    found(
      ...many,
      { fingerprint: 9 },
      { fingerprint: 9 },
      { fingerprint: 9 },
      { fingerprint: 8 },
      { fingerprint: 8 },
    ),
  )
  assert.deepEqual(
    more.input.exposures?.flatMap(({ pwFp }) => pwFp ?? []),
    ["9", "9", "9"],
  )
})

test("a sensitive source acts for a verified tenant only, and leaves no trace for others", () => {
  const sensitive = found({
    fingerprint: 1,
    of: { flags: { spamList: false, fabricated: false, sensitive: true, verified: true } },
  })
  const other = evidence(sensitive)
  assert.deepEqual([other.input.exposures, other.matched], [[], null])
  assert.deepEqual(evidence({ ...sensitive, entries: [] }).input.exposures, other.input.exposures)
  assert.deepEqual([other.input.checked.sources, other.input.coverage?.credential], [0, 0])
  const { input } = evidence(sensitive, { caller: { ...enterprise, verified: true } })
  assert.equal(input.exposures?.length, 1)
  assert.deepEqual([input.checked.sources, input.coverage?.credential], [1, 1])
})

test("a plan without named sources sees neither source nor item by name or number of the service, but which are the same", () => {
  const twice = found(
    { item: "site.example", of: { id: 4 } },
    { item: "site.example", of: { id: 4 } },
    { item: "other.example" },
  )
  const free = evidence(twice, { caller: { ...enterprise, plan: plans.free } }).input.exposures
  assert.deepEqual(
    free?.map(({ source, item }) => [source, item]),
    [
      ["source 1", "item 1"],
      ["source 1", "item 1"],
      ["source 2", "item 2"],
    ],
  )
  assert.equal(evidence(twice).input.exposures?.[0]?.item, "site.example")
})

test("a first sighting proves age but never youth, and no breach is not a search that found none", () => {
  assert.deepEqual(evidence(found({ daysAgo: 3 })).input.trust?.emailAge, undefined)
  assert.deepEqual(evidence(found({ daysAgo: 729 })).input.trust?.emailAge, undefined)
  assert.deepEqual(evidence(found({ daysAgo: 4000 }, { daysAgo: 3 })).input.trust?.emailAge, 4000)
  assert.equal(evidence(found()).input.trust?.traces, undefined)
  assert.equal(
    evidence(
      found({ daysAgo: 366 }, { daysAgo: 500 }, { daysAgo: 365 }, { daysAgo: 900, kind: "paste" }),
    ).input.trust?.traces,
    2,
  )
})

test("a masked relay's handle is not judged; any other's is", () => {
  const random = { email: "xk7qz9w2pf@mail.example" }
  assert.equal(evidence(found(), { ...random, category: "masked" }).input.trust?.handle, undefined)
  assert.equal(evidence(found(), { ...random, category: "masked" }).input.trust?.masked, true)
  assert.equal(
    evidence(found(), { ...random, category: "disposable" }).input.trust?.disposable,
    true,
  )
  assert.ok(Number(evidence(found(), random).input.trust?.handle) > 0.9)
})

test("matched says whether this very address was seen, its mailbox, or neither", () => {
  assert.equal(evidence(found()).matched, null)
  assert.equal(evidence(found({ aliasTag: 5 }), { aliasTag: 5 }).matched, "exact")
  assert.equal(evidence(found({ aliasTag: 5 }), { aliasTag: 0 }).matched, "mailbox")
})

test("coverage falls with the age of the newest import and is none without a source", () => {
  assert.deepEqual(evidence(found()).input.coverage, {
    credential: 0,
    darkweb: 0,
    trust: 0.4,
    bot: 0,
  })
  assert.deepEqual(evidence(found()).input.checked, { sources: 0, newestImport: null })
  const fresh = found({}, { kind: "listing", of: { kind: "listing" } })
  assert.deepEqual(evidence(fresh).input.coverage, {
    credential: 1,
    darkweb: 1,
    trust: 0.4,
    bot: 0,
  })
  const old = found({}, { kind: "listing", of: { kind: "listing" } })
  const liveAt = nowMs - 401 * DAY_MS
  const batches = new Map(
    [...old.catalogue.batches].map(([id, batch]) => [id, { ...batch, liveAt }]),
  )
  const stale = evidence({ ...old, catalogue: { ...old.catalogue, batches } }).input
  assert.deepEqual(stale.coverage, { credential: 0.5, darkweb: 0.5, trust: 0.4, bot: 0 })
  assert.equal(stale.checked.newestImport, "2025-10-09")
})

test("an entry without a source is a fault, not an omission", () => {
  const orphan = found({})
  assert.throws(() =>
    evidence({ ...orphan, catalogue: { ...orphan.catalogue, sources: new Map() } }),
  )
})

test("an age that proves nothing is never told, however often compilers had a look at the code", () => {
  // Of several kinds, since what is compiled depends on what was seen.
  const kinds = ["breach", "stealer", "sale", "attack"] as const
  const asked = kinds.flatMap((kind) =>
    [0, 5, 29].map((daysAgo) => ({ daysAgo, of: found({ daysAgo, kind }) })),
  )
  const lists = openLists(listsDirectory)
  const address = parsed("ana.silva@mail.example")
  const told = new Set<unknown>()
  for (let n = 0; n < 30_000; n++) {
    const { input } = emailEvidence({
      aliasTag: 0,
      found: asked[n % asked.length]?.of ?? found(),
      domain: domainTrust(address, lists, null, nowMs),
      network: { mx: null, domainAge: null, disposableServer: null, coverage: 0, explained: {} },
      context: null,
      caller: enterprise,
      nowMs,
    })
    told.add(input.trust?.emailAge)
  }
  assert.deepEqual([...told], [undefined])
})
