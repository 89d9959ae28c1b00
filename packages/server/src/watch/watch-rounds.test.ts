import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { type EventData, type EventKind } from "@assay/core/contract"
import { aliasTag, IDENTITY_TAGS, identityKey, parseEmail, parsePhone } from "@assay/core/identity"
import { assessEmail, assessPhone, bandOf } from "@assay/core/score"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { arrivingBatches } from "@assay/stores/arriving-batches"
import type { Entry, EntryKind, SourceDescription } from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import type { StoredEvent } from "@assay/stores/records-events"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { type Caller, tenantCaller } from "../accounts/callers.ts"
import { domainTrust } from "../score/email/domain-trust.ts"
import { emailEvidence } from "../score/email/email-evidence.ts"
import { openLists } from "../score/email/lists.ts"
import { ownDomains } from "../score/email/lists/own-domains.ts"
import { openModels } from "../score/models.ts"
import { networkTrustOff } from "../score/network-trust.ts"
import { phoneEntries } from "../score/phone/phone-entries.ts"
import { phoneEvidence } from "../score/phone/phone-evidence.ts"
import { NO_SIGNAL_FACTS } from "../score/phone/signal-facts.ts"
import { openIdentify, type Wanted } from "./identify.ts"
import { domainUpdater } from "./update-domains.ts"
import type { WatchedIdentity } from "./watch-list.ts"
import { watchRounds } from "./watch-rounds.ts"
import { openWatchWriter } from "./watch-writer.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-watch-"))
after(() => rmSync(folder, { recursive: true }))
let opened = 0

const SOURCE: SourceDescription = {
  name: "corpus",
  title: "Corpus",
  kind: "breach",
  confidence: 0.9,
  classes: [],
  flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
  eventDate: null,
  circulates: false,
}

const ENTRY: Omit<Entry, "hours" | "kind" | "batchId"> = {
  secret: "plaintext",
  fingerprint: null,
  aliasTag: 0,
  item: null,
  confidence: null,
  classes: [],
  value: null,
}

/** The rounds of a service over real stores, whose clock the test moves. */
async function watching() {
  const directory = join(folder, String(++opened))
  mkdirSync(join(directory, "lists"), { recursive: true })
  const secrets = deriveSecrets(new Uint8Array(32).fill(3))
  const { subkeys } = secrets
  const clock = { ms: Date.UTC(2026, 10, 18, 9, 30) }
  const now = (): number => clock.ms
  const index = await openLmdbIndex({ path: join(directory, "index") })
  const records = await openSqliteRecords({
    file: join(directory, "records.sqlite"),
    auditKey: subkeys.audit,
  })
  await records.migrate()
  const tenant = { name: "acme", plan: "enterprise", at: clock.ms, actor: "test" }
  const { id: tenantId } = await records.createTenant(tenant)
  const lists = openLists(join(directory, "lists"))
  const models = openModels(join(directory, "models"))
  let reloads = 0
  let additions = 0
  const round = watchRounds({
    records,
    index,
    models,
    updateDomains: domainUpdater({
      records,
      openLists: () => openLists(join(directory, "lists")),
      reloads: () => reloads,
      additions: () => additions,
      identitySubkey: subkeys.identity,
    }),
    matchBatches: async () => undefined,
    isEnding: () => false,
    now,
  })
  const writer = openWatchWriter({
    records,
    round: async () => undefined,
    checkDomains: async () => undefined,
    onAdded: () => additions++,
    onEnding: () => undefined,
    now,
  })
  const caller = async (): Promise<Caller> => {
    const own = (await records.tenants()).find(({ id }) => id === tenantId)
    return tenantCaller(own ?? assert.fail("no tenant"))
  }
  const identify = openIdentify({ secrets, lists, network: networkTrustOff, now })
  const keyOf = (value: string): Uint8Array => {
    const email = parseEmail(value)
    return "fault" in email
      ? identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, value)
      : identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical)
  }
  const batchOf = arrivingBatches(index, () => SOURCE)
  let read = 0
  return {
    records,
    tenantId,
    clock,
    round,
    keyOf,
    async add(...values: (string | Partial<Wanted>)[]): Promise<void> {
      const by = await caller()
      const identities: WatchedIdentity[] = []
      for (const given of values) {
        const wanted: Partial<Wanted> = typeof given === "string" ? { value: given } : given
        const { value = "", deliverIdentity = false } = wanted
        const ref = wanted.ref ?? value.replaceAll(/[@+]/g, " ")
        const type = value.startsWith("+") ? "phone" : "email"
        identities.push(await identify({ type, value, ref, deliverIdentity }, by, tenantId))
      }
      await writer.add(tenantId, identities, [])
    },
    /** Evidence for everybody, as an index has it; who is watched is made due as an import does. */
    async observe(value: string, kind: EntryKind, daysAgo: number): Promise<void> {
      const batchId = await batchOf("shared", SOURCE.name, clock.ms)
      const hours = Math.floor((clock.ms - daysAgo * DAY_MS) / HOUR_MS)
      const dated = value.startsWith("+") ? hours : hours - (hours % 24)
      const entry: Entry = { ...ENTRY, kind, hours: dated, batchId }
      await index.addSharedEvidence([{ key: keyOf(value), entries: [entry] }])
      const items = await records.watchItemsOf({
        identityKeys: [keyOf(value)],
        addedBefore: clock.ms + 1,
      })
      const batch = { batchId: 1_000, through: null, done: false }
      const ids = items.map(({ id }) => id)
      await records.matchBatch({ batch, at: clock.ms, ids, events: [] })
    },
    /** What happened since the last time. */
    async events(): Promise<StoredEvent[]> {
      const events = await records.eventsAfter({ tenantId, after: read, limit: 5_000 })
      read = events.at(-1)?.seq ?? read
      return events
    },
    writeList(text: string): void {
      writeFileSync(join(directory, "lists", "mine.csv"), text)
      lists.reload()
      reloads++
    },
    setPolicy: async (settings: Record<string, unknown>) =>
      await records.setTenantSettings({ tenantId, settings, at: clock.ms, actor: "test" }),
    /** What a look-up by the tenant answers now. */
    async lookUp(value: string) {
      const by = await caller()
      const found = await index.lookup(keyOf(value), tenantId)
      const nowMs = clock.ms
      const email = parseEmail(value)
      if (!("fault" in email)) {
        const model = models.email(by.emailModel)
        const { input } = emailEvidence({
          aliasTag: aliasTag(sha256, subkeys.alias, keyOf(value) as never, email),
          found,
          domain: domainTrust(email, lists, by.domains && ownDomains(by.domains), nowMs),
          network: await networkTrustOff.look(email.domain, nowMs),
          context: null,
          caller: by,
          nowMs,
        })
        const { risk_score, threat_stage, recommended_action, risk_reasons } = assessEmail(
          input,
          model,
        )
        const band = bandOf(risk_score)
        const { version: model_version } = model
        return { risk_score, threat_stage, band, recommended_action, model_version, risk_reasons }
      }
      const phone = parsePhone(value)
      if ("fault" in phone) assert.fail(value)
      const model = models.phone(by.phoneModel)
      const input = phoneEvidence({
        parsed: phone,
        entries: phoneEntries(found, by, nowMs),
        signals: NO_SIGNAL_FACTS,
        context: null,
        accounts24h: null,
        caller: by,
        model,
        nowMs,
      })
      const { risk_score, recommendation, risk_reasons } = assessPhone(input, model)
      return {
        risk_score,
        band: bandOf(risk_score),
        recommended_action: recommendation,
        model_version: model.version,
        risk_reasons,
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await records.close()
      await index.close()
    },
  }
}

function dataOf<K extends EventKind>(event: StoredEvent | undefined, kind: K): EventData<K> {
  assert.equal(event?.kind, kind)
  return event.data as EventData<K>
}

test("events about 1,000 watched identities say what look-ups answer at the same moment", async () => {
  await using service = await watching()
  const { clock } = service
  const domains = "gmail.com firm.example gnail.com mailinator.com mit.edu acrne.com 163.com gmx.de"
  const hosts = [...domains.split(" "), "xn--80ak6aa92e.com", "privaterelay.appleid.com"]
  const names = [
    "ana.silva",
    "qwrtzxcv7731",
    "info",
    "jürgen",
    "b",
    "noreply",
    "x7k2q9zz81",
    "li.wei",
  ]
  const emails = Array.from(
    { length: 960 },
    (_, n) => `${names[n % names.length]}${n}@${hosts[n % hosts.length]}`,
  )
  const phones = Array.from({ length: 40 }, (_, n) => `+4915112345${String(n).padStart(3, "0")}`)
  await service.setPolicy({ domains: ["acme.com"] })
  const all = [...emails, ...phones]
  await service.add(...all.slice(0, 500))
  await service.add(...all.slice(500))
  await service.round()
  assert.deepEqual(await service.events(), [])
  const kinds = ["breach", "stealer", "sale", "attack", "monetized"] as const
  const ofPhones = ["sim_change", "recycled", "port"] as const
  for (const [n, value] of all.entries()) {
    const isPhone = value.startsWith("+")
    const kind = isPhone ? ofPhones[n % ofPhones.length] : kinds[n % kinds.length]
    await service.observe(value, kind ?? "breach", n % 30)
  }
  clock.ms += 1_000
  await service.round()
  await service.round()
  const told = new Map((await service.events()).map((event) => [event.ref, event]))
  let agreed = 0
  for (const value of all) {
    const event = told.get(value.replaceAll(/[@+]/g, " "))
    const now = await service.lookUp(value)
    if (event === undefined) {
      // Nothing was told of those that stand where they stood.
      const [item] = await service.records.watchItems({
        tenantId: service.tenantId,
        ref: value.replaceAll(/[@+]/g, " "),
        limit: 1,
      })
      assert.deepEqual(
        [item?.told?.band, item?.told?.threat_stage],
        [now.band, "threat_stage" in now ? now.threat_stage : undefined],
      )
      continue
    }
    const kind = value.startsWith("+") ? "risk.phone.changed" : "risk.email.changed"
    const { current, cause } = dataOf(event, kind)
    assert.deepEqual(current, now, value)
    assert.equal(cause, "import")
    agreed++
  }
  assert.ok(agreed > 900, String(agreed))
})

test("a rise is told at once and once, a fall after a day, with what was told before", async () => {
  await using service = await watching()
  const { clock } = service
  const email = "ana.silva@firm.example"
  await service.add({ value: email, ref: "customer-4711", deliverIdentity: true })
  await service.round()
  assert.deepEqual(await service.events(), [])
  await service.observe(email, "breach", 10)
  await service.round()
  await service.round()
  const [leaked, ...none] = await service.events()
  assert.equal(none.length, 0)
  const first = dataOf(leaked, "risk.email.changed")
  const moved = [first.ref, first.previous.threat_stage, first.current.threat_stage]
  assert.deepEqual(moved, ["customer-4711", "CLEAN", "LEAKED"])
  assert.ok(leaked?.sealed !== null, "the identity is sealed with the event")
  assert.ok(!JSON.stringify(leaked?.data).includes("ana"))
  assert.deepEqual(leaked?.identityKey, service.keyOf(email))
  clock.ms += HOUR_MS
  await service.observe(email, "sale", 1)
  await service.round()
  const [traded] = await service.events()
  const second = dataOf(traded, "risk.email.changed")
  assert.equal(second.current.threat_stage, "TRADED")
  const { risk_reasons: _reasons, ...toldBefore } = first.current
  assert.deepEqual(second.previous, toldBefore)
  // Nothing arrives: it is scored when its stage or band changes by time, and not before.
  const [item] = await service.records.dueWatchItems({ at: clock.ms + 400 * DAY_MS, limit: 1 })
  assert.equal(item?.cause, "time")
  let told: StoredEvent | undefined
  for (let day = 0; day < 400 && told === undefined; day++) {
    clock.ms += DAY_MS
    await service.round()
    told = (await service.events())[0]
  }
  const third = dataOf(told, "risk.email.changed")
  assert.equal(third.cause, "time")
  assert.deepEqual(third.current, await service.lookUp(email))
})

test("a list that changes, own domains and a policy have those scored whom they touch", async () => {
  await using service = await watching()
  const { records } = service
  await service.add("ana.silva@sub.firm.example", "bo@elsewhere.example", "+4915112345678")
  await service.round()
  const due = async (): Promise<number> =>
    (await records.dueWatchItems({ at: service.clock.ms, limit: 9 })).length
  assert.equal(await due(), 0)
  service.writeList("firm.example,disposable,\n")
  await service.round()
  const [told, ...others] = await service.events()
  const data = dataOf(told, "risk.email.changed")
  assert.deepEqual([data.cause, others.length], ["lists", 0])
  assert.deepEqual(data.current, await service.lookUp("ana.silva@sub.firm.example"))
  service.clock.ms += 2 * DAY_MS
  service.writeList("")
  await service.round()
  const [back] = await service.events()
  const after = dataOf(back, "risk.email.changed").current
  assert.deepEqual(after, await service.lookUp("ana.silva@sub.firm.example"))
  // One letter from the tenant's new domain of its own.
  await service.setPolicy({ domains: ["elsewher.example"] })
  await service.round()
  const kept = await records.staleWatchDomains({
    tenantId: service.tenantId,
    version: "",
    limit: 9,
  })
  assert.deepEqual(kept.map(({ values }) => values["imitates"]).sort(), ["elsewher.example", null])
  const [imitating] = await service.events()
  if (imitating !== undefined)
    assert.deepEqual(
      dataOf(imitating, "risk.email.changed").current,
      await service.lookUp("bo@elsewhere.example"),
    )
})

test("a tenant whose model is not there is scored later, and others are scored meanwhile", async () => {
  await using service = await watching()
  const { records, clock, tenantId } = service
  await service.add("ana.silva@firm.example", "+4915112345678")
  await service.setPolicy({ models: { email: "9.9" } })
  await service.round()
  const items = await records.watchItems({ tenantId, limit: 9 })
  assert.deepEqual(items.map(({ identityType, told }) => [identityType, told === null]).sort(), [
    ["email", true],
    ["phone", false],
  ])
  assert.deepEqual(await records.dueWatchItems({ at: clock.ms, limit: 9 }), [])
  await service.setPolicy({})
  await service.round()
  const [first] = await records.watchItems({ tenantId, ref: "ana.silva firm.example", limit: 1 })
  assert.notEqual(first?.told, null)
})
