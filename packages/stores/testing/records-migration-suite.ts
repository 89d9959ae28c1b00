import assert from "node:assert/strict"
import { test } from "node:test"

import { type CopiedRow, type RecordsCopy } from "../src/records-copy.ts"
import { EVIDENCE_ROUTE } from "../src/records-evidence.ts"
import { verifyAudit } from "../src/audit-verify.ts"
import type { Records } from "../src/records.ts"
import { auditKey } from "./audit-key.ts"
import { settledThrough } from "./records-evidence-suite.ts"
import { hashOf, newKey } from "./records-suite.ts"

/** A place for records whose tables can be put back to those of format 6. */
export interface OlderDatabase {
  open(): Promise<Records>
  copy(): Promise<RecordsCopy>
  execute(statement: string): Promise<void>
  /** How the engine spells types, bytes, and the end of a table. */
  readonly spelling: {
    readonly integer: string
    readonly text: string
    readonly bytes: string
    readonly tableEnd: string
    hex(bytes: Uint8Array): string
    /** Statements that let rows of the audit trail be changed. */
    readonly openAudit: string
  }
}

/** Undoes formats 16 to 21. */
const WATCHING = [
  ...["leases", "nodes"],
  ...["ssf_notes", "ssf_acks", "ssf_left_out", "ssf_keys", "ssf_streams"],
  "sinks",
  ...["domain_watches", "watch_items", "watch_domains"],
  ...["watch_batches", "watch_tenants"],
]
const TELLING = ["attempts", "deliveries", "webhook_secrets", "webhooks", "events"]
const DROP_EVENTS = [...WATCHING, ...TELLING].map((table) => `drop table ${table};`).join(" ")

/** Tables that a format after 6 made. */
const MADE_SINCE: ReadonlySet<string> = new Set(["policies", "shadows"])
const at = Date.UTC(2026, 2, 1)
const actor = "test"
const [alice, bob, gone] = [1, 2, 3].map((n) => new Uint8Array(16).fill(n)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const event = hashOf("event").slice(0, 16)

/** What this program must make of the tables of the one before it. */
export function recordsMigrationSuite(
  engine: string,
  newDatabase: () => Promise<OlderDatabase>,
): void {
  test(`${engine}: tables of format 6 are brought over, with all that is in them`, async () => {
    const database = await older(await newDatabase())
    const records = await database.open()
    // A process that opens at the same moment finds the work done.
    const second = await database.open()
    await Promise.all([records.migrate(), second.migrate()])
    await second.close()
    await assertBroughtOver(records)
    await records.close()
  })

  test(`${engine}: rows copied before the first start are those of now, and can be put back`, async () => {
    const database = await older(await newDatabase())
    const before = await rowsOf(database)
    const records = await database.open()
    await records.migrate()
    const now = (await rowsOf(database)).filter(
      ({ table, row }) => !MADE_SINCE.has(table) && row["name"] !== "people_version",
    )
    assert.deepEqual(sorted(now.flatMap(unchained)), sorted(before.filter(isHeld)))
    await records.close()

    const target = await newDatabase()
    const copy = await target.copy()
    await copy.restore(each(before))
    await copy.close()
    const restored = await target.open()
    await assertBroughtOver(restored)
    await restored.close()
  })

  test(`${engine}: views of format 14 are those of reviews, also in a copy made before`, async () => {
    const database = await ofFormat14(await newDatabase())
    const before = await rowsOf(database)
    const records = await database.open()
    await records.migrate()
    const whole = await records.views({ tenantId: 1, list: "reviews", owner: actor })
    assert.deepEqual(whole, [
      { ...viewed, id: "view_2", owner: null, name: "All", savedAt: at + 1 },
      { ...viewed, id: "view_1", owner: actor, name: "Blocked", savedAt: at },
    ])
    assert.deepEqual(await records.views({ tenantId: 1, list: "decisions", owner: actor }), [])
    await records.close()
    assert.deepEqual(sorted(await rowsOf(database)), sorted(before))

    const target = await newDatabase()
    const copy = await target.copy()
    await copy.restore(each(before))
    await copy.close()
    const restored = await target.open()
    assert.deepEqual(await restored.views({ tenantId: 1, list: "reviews", owner: actor }), whole)
    await restored.close()
  })

  test(`${engine}: rows of a backup of format 6 are put into the tables of now`, async () => {
    const target = await newDatabase()
    const copy = await target.copy()
    await copy.restore(each(backupRows()))
    await copy.close()
    const restored = await target.open()
    await assertBroughtOver(restored)
    await restored.close()
  })
}

async function assertBroughtOver(records: Records): Promise<void> {
  // Entries from before are chained, by tenant, and the trail says so.
  const report = await verifyAudit(records, auditKey, [])
  assert.deepEqual([report.faults, report.rows], [[], report.last])
  assert.equal(report.chainedThrough, report.last - 1)
  const own = await records.audit({ limit: 9, tenantId: 1 })
  assert.ok(own.some(({ subject, action }) => subject === "tenant:1" && action !== "audit.chained"))
  assert.ok(own.every(({ subject }) => subject !== "tenant:2" && subject !== "service"))
  // As of the last change of settings that the audit trail has, or of the tenant's first moment.
  assert.deepEqual(await records.policies({ tenantId: 1, limit: 9 }), [
    {
      tenantId: 1,
      version: 1,
      at: at + 3,
      actor: "cli:ada",
      settings: { verified: true },
      revertedTo: null,
    },
  ])
  const untouched = { version: 1, at, actor: "assay", settings: {}, revertedTo: null }
  assert.deepEqual(await records.policies({ tenantId: 2, limit: 9 }), [
    { tenantId: 2, ...untouched },
  ])
  const shared = { owner: "shared", keyId: null } as const
  const notified = { identityKey: bob, source: "camara:one", entry: Uint8Array.of(7), event }
  const sent = { identityKey: alice, source: "soc", entry: Uint8Array.of(1, 2) }
  const ofAcme = { owner: 1, keyId: "k1", receivedAt: at }
  assert.deepEqual(await records.evidenceAfter({ after: null, identities: 9 }), [
    { ...sent, ...ofAcme },
    { ...sent, ...ofAcme, entry: Uint8Array.of(3) },
    { ...notified, ...shared, receivedAt: at + 1 },
    { ...sent, ...ofAcme, identityKey: bob },
  ])
  assert.deepEqual(await records.ownersWithDueEvidence(), ["shared", 1])
  const due = await records.dueEvidence({ owner: 1, identities: 9 })
  assert.deepEqual(
    due.map(({ identityKey }) => identityKey),
    [alice],
  )
  assert.deepEqual(await records.feedbackOf({ tenantId: 1, identityKey: alice }), [
    {
      id: "fb_1",
      tenantId: 1,
      keyId: "k1",
      identityKey: alice,
      identityType: "phone",
      aliasTag: 7,
      outcome: "fraud_confirmed",
      occurredAt: at,
      receivedAt: at + 2,
      loss: 12.5,
      reference: "case",
      expiresAt: at + 9,
      undoneAt: null,
      dueAt: at + 9,
    },
  ])
  assert.deepEqual(await records.dueFeedback({ at: at + 9, limit: 9 }), [
    { tenantId: 1, identityKey: alice },
  ])
  // A repeated notification is known, and a claim is done once what it waited for is settled.
  const again = { ...shared, receivedAt: at + 5, lines: [{ ...notified, identityKey: alice }] }
  assert.deepEqual(await records.addEvidence(again, null), { state: "taken", outcomes: ["known"] })
  const keyHash = hashOf("claim")
  const claim = { keyId: "k1", route: EVIDENCE_ROUTE, keyHash, fingerprint: hashOf("body") }
  const request = { ...ofAcme, lines: [sent] }
  assert.deepEqual(await records.addEvidence(request, claim), { state: "running" })
  await settledThrough(records, 1, alice)
  assert.deepEqual(await records.addEvidence(request, claim), {
    state: "done",
    outcomes: ["stored"],
  })
}

/** A row without what the chain of the audit trail adds. */
function unchained({ table, row }: CopiedRow): CopiedRow[] {
  if (table === "meta" && row["name"] === "audit_head") return []
  if (table !== "audit") return [{ table, row }]
  if (row["action"] === "audit.chained") return []
  const { mac: _, tenant_id: _tenant, request_id: _request, ...rest } = row
  return [{ table, row: rest }]
}

/** Of an erased subject a process that died could leave a row, which goes with the migration. */
const isHeld = ({ table, row }: CopiedRow): boolean =>
  table !== "evidence" || JSON.stringify(row["identity_key"]) !== JSON.stringify(base64(gone))

/** Puts a database back to format 6, with rows in each of the tables that were replaced. */
async function older(database: OlderDatabase): Promise<OlderDatabase> {
  const records = await database.open()
  await records.migrate()
  await records.createTenant({ name: "Acme", plan: "free", at, actor })
  await records.createTenant({ name: "Other", plan: "free", at, actor })
  for (const [verified, by] of [
    [false, "cli:bob"],
    [true, "cli:ada"],
  ] as const)
    await records.setTenantSettings({ tenantId: 1, settings: { verified }, at: at + 3, actor: by })
  await records.createKey(newKey("k1", { tenantId: 1 }))
  await records.eraseSubject({
    identityKey: gone,
    identityType: "email",
    tenantId: null,
    reason: "subject_request",
    reference: null,
    at,
    actor,
  })
  await records.close()
  await database.execute(tablesOfFormat6(database.spelling))
  await database.execute(insertsOf(database.spelling))
  return database
}

const viewed = { tenantId: 1, list: "reviews", filter: { action: "block" } } as const

/** Puts a database back to format 14, with views as migration 11 kept them. */
async function ofFormat14(database: OlderDatabase): Promise<OlderDatabase> {
  const records = await database.open()
  await records.migrate()
  await records.createTenant({ name: "Acme", plan: "free", at, actor })
  await records.close()
  const { integer, text, tableEnd } = database.spelling
  await database.execute(`
    ${DROP_EVENTS}
    drop table saved_views;
    create table review_views (
      id ${text} primary key not null, tenant_id ${integer} not null references tenants (id),
      owner ${text} not null, name ${text} not null, filter ${text} not null,
      saved_at ${integer} not null, constraint review_views_name unique (tenant_id, owner, name)
    ) ${tableEnd};
    insert into review_views values
      ('view_1', 1, '${actor}', 'Blocked', '${JSON.stringify(viewed.filter)}', ${at}),
      ('view_2', 1, '', 'All', '${JSON.stringify(viewed.filter)}', ${at + 1});
    delete from assay_migration where name > '0015';
    update meta set value = '14' where name = 'format';`)
  return database
}

// As migrations 2, 3, 4 and 6 made them.
export function tablesOfFormat6(spelling: Omit<OlderDatabase["spelling"], "hex">): string {
  const { integer, text, bytes, tableEnd, openAudit } = spelling
  return `
    ${DROP_EVENTS}
    drop table shadows;
    drop table signups;
    drop table outside_accounts;
    drop table sessions;
    drop table invitations;
    drop table credentials;
    drop table memberships;
    drop table people;
    delete from meta where name = 'people_version';
    drop table saved_views;
    drop table reviews;
    ${openAudit}
    drop index audit_tenant;
    alter table audit drop column tenant_id;
    alter table audit drop column request_id;
    alter table audit drop column mac;
    delete from meta where name like 'audit%';
    drop table policies;
    drop table feedback;
    drop table evidence;
    create table evidence (
      id ${text} primary key not null, tenant_id ${integer} not null references tenants (id),
      key_id ${text} not null references keys (id), identity_key ${bytes} not null,
      subject ${text} not null, alias_tag ${integer} not null, outcome ${text} not null,
      occurred_at ${integer} not null, received_at ${integer} not null, loss ${text},
      reference ${text}, expires_at ${integer}, undone_at ${integer}, due_at ${integer},
      claim ${bytes}
    ) ${tableEnd};
    create index evidence_identity on evidence (tenant_id, identity_key);
    create index evidence_due on evidence (due_at);
    create index evidence_of_identity on evidence (identity_key);
    create table observations (
      identity_key ${bytes} not null, tenant_id ${integer} not null references tenants (id),
      source ${text} not null, entry ${bytes} not null, key_id ${text} not null references keys (id),
      received_at ${integer} not null, due_at ${integer},
      constraint observations_content primary key (identity_key, tenant_id, source, entry)
    ) ${tableEnd};
    create index observations_due on observations (tenant_id, identity_key) where due_at is not null;
    create table shared_observations (
      identity_key ${bytes} not null, source ${text} not null, entry ${bytes} not null,
      event ${bytes} not null, received_at ${integer} not null, due_at ${integer},
      constraint shared_observations_content primary key (identity_key, source, entry),
      constraint shared_observations_event unique (source, event)
    ) ${tableEnd};
    create index shared_observations_due on shared_observations (identity_key) where due_at is not null;
    delete from assay_migration where name > '0007';
    update meta set value = '6' where name = 'format';`
}

interface OlderRow {
  readonly table: string
  readonly row: Readonly<Record<string, string | number | null | Uint8Array>>
}

const sentRow = (identityKey: Uint8Array, entry: Uint8Array, due: number | null): OlderRow => ({
  table: "observations",
  row: {
    identity_key: identityKey,
    tenant_id: 1,
    source: "soc",
    entry,
    key_id: "k1",
    received_at: at,
    due_at: due,
  },
})

const ROWS: readonly OlderRow[] = [
  {
    table: "evidence",
    row: {
      id: "fb_1",
      tenant_id: 1,
      key_id: "k1",
      identity_key: alice,
      subject: "phone",
      alias_tag: 7,
      outcome: "fraud_confirmed",
      occurred_at: at,
      received_at: at + 2,
      loss: "12.5",
      reference: "case",
      expires_at: at + 9,
      undone_at: null,
      due_at: at + 9,
      claim: null,
    },
  },
  sentRow(alice, Uint8Array.of(1, 2), at),
  sentRow(alice, Uint8Array.of(3), null),
  sentRow(bob, Uint8Array.of(1, 2), null),
  sentRow(gone, Uint8Array.of(1, 2), at),
  {
    table: "shared_observations",
    row: {
      identity_key: bob,
      source: "camara:one",
      entry: Uint8Array.of(7),
      event,
      received_at: at + 1,
      due_at: at + 1,
    },
  },
  {
    table: "idempotency",
    row: {
      key_id: "k1",
      route: EVIDENCE_ROUTE,
      key_hash: hashOf("claim"),
      fingerprint: hashOf("body"),
      status: "running",
      response: '["stored"]',
      created_at: at,
    },
  },
]

function insertsOf({ hex }: OlderDatabase["spelling"]): string {
  const literal = (value: string | number | null | Uint8Array): string =>
    value instanceof Uint8Array
      ? hex(value)
      : typeof value === "string"
        ? `'${value}'`
        : String(value)
  return ROWS.map(
    ({ table, row }) =>
      `insert into ${table} (${Object.keys(row).join(", ")}) values (${Object.values(row).map(literal).join(", ")});`,
  ).join("\n")
}

/** The same rows as a backup of the program before has them. */
function backupRows(): CopiedRow[] {
  const key = newKey("k1")
  const rows: OlderRow[] = [
    { table: "meta", row: { name: "accounts_version", value: "2" } },
    { table: "meta", row: { name: "format", value: "6" } },
    {
      table: "tenants",
      row: { id: 1, name: "Acme", plan: "free", created_at: at, settings: '{"verified":true}' },
    },
    {
      table: "tenants",
      row: { id: 2, name: "Other", plan: "free", created_at: at, settings: "{}" },
    },
    {
      table: "audit",
      row: {
        id: 1,
        at: at + 3,
        actor: "cli:ada",
        action: "tenant.set-settings",
        subject: "tenant:1",
        detail: '{"settings":{"verified":true}}',
      },
    },
    {
      table: "keys",
      row: {
        id: "k1",
        tenant_id: 1,
        hash: key.hash,
        hint: key.hint,
        label: key.label,
        scopes: "[]",
        created_at: at,
        expires_at: null,
        revoked_at: null,
        replaced_by: null,
      },
    },
    ...ROWS,
    { table: "tombstones", row: { identity_key: gone, erased_at: at } },
  ]
  return rows.map(({ table, row }) => ({
    table: table as CopiedRow["table"],
    row: Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? base64(value) : value,
      ]),
    ),
  }))
}

function base64(bytes: Uint8Array): { base64: string } {
  return { base64: Buffer.from(bytes).toString("base64") }
}

async function rowsOf(database: OlderDatabase): Promise<CopiedRow[]> {
  const rows: CopiedRow[] = []
  const copy = await database.copy()
  await copy.rows((row) => void rows.push(row))
  await copy.close()
  return rows
}

function sorted(rows: readonly CopiedRow[]): string[] {
  return rows
    .map(({ table, row }) =>
      JSON.stringify([table, Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))]),
    )
    .sort()
}

async function* each(rows: readonly CopiedRow[]): AsyncGenerator<CopiedRow> {
  yield* rows
}
