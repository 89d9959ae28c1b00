import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { readClusterPlace } from "@assay/stores/redis/cluster-place"
import { readAddressRange } from "@assay/runtime/outbound/address-guard"
import { isExplained } from "@assay/runtime/explained"
import { readConfig, shownSettings } from "./config.ts"

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(isExplained(error, "config"))
    return error.message.split("\n  ").slice(1)
  }
}

test("an empty environment gives a safe local service", () => {
  const config = readConfig({})
  assert.equal(config.port, 8080)
  assert.equal(config.host, null)
  assert.equal(config.production, false)
  assert.equal(config.workers, 1)
})

test("webhooks of a demo may call this machine, those of production nobody private", () => {
  const { webhooks } = readConfig({})
  assert.deepEqual(webhooks.allowed, ["127.0.0.0/8", "::1"].map(readAddressRange))
  const production = readConfig({
    NODE_ENV: "production",
    ASSAY_DATA: "/srv/assay",
    ASSAY_SECRET_FILE: "/run/secrets/assay",
  })
  assert.deepEqual(production.webhooks.allowed, [])
})

test("all wrong settings are reported at once, without their values", () => {
  const faults = faultsOf({
    PORT: "eighty",
    ASSAY_WORKERS: "0",
    ASSAY_LOG_LEVEL: "loud",
    DATABASE_URL: "mysql://user:pw@host",
  })
  assert.equal(faults.length, 4)
  assert.doesNotMatch(faults.join("\n"), /eighty|loud|pw/)
})

test("a mistyped ASSAY_ or DROP_ setting is refused instead of ignored", () => {
  assert.match(faultsOf({ DROP_RETENTION: "9" }).join(), /DROP_RETENTION is not a setting/)
  assert.match(faultsOf({ ASSAY_WORKER: "2" }).join(), /ASSAY_WORKER is not a setting/)
  assert.deepEqual(faultsOf({ ASSAY_SOAK: "1" }), [])
})

test("a variable that the README or a page of the docs names may stand in the shell of every command", () => {
  const root = join(import.meta.dirname, "../../../..")
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
  const pages = ["README.md", ...docs.map((name) => join("docs", name))]
  const home = join("packages", "server", "src", "pages", "home-page.ts")
  const texts = [...pages, home].map((page) => readFileSync(join(root, page), "utf8"))
  const names = new Set(
    texts.flatMap((text) => text.match(/\b(?:ASSAY|DROP)_[A-Z][A-Z_]*\b/g) ?? []),
  )
  assert.ok(names.has("ASSAY_API_KEY"))
  for (const name of names)
    assert.doesNotMatch(faultsOf({ [name]: "x" }).join(), /is not a setting/, name)
})

test("the first page is the drop's only where there is a drop", () => {
  assert.equal(readConfig({}).home, "console")
  assert.equal(readConfig({ ASSAY_HOME: "drop" }).home, "drop")
  assert.equal(faultsOf({ ASSAY_HOME: "drop", DROP: "off" }).length, 1)
  assert.equal(faultsOf({ ASSAY_HOME: "playground" }).length, 1)
})

test("production needs a data directory and a secret outside it", () => {
  assert.equal(faultsOf({ NODE_ENV: "production" }).length, 2)
  assert.equal(faultsOf({ NODE_ENV: "production", ASSAY_DATA: "/srv/assay" }).length, 1)
  assert.equal(
    faultsOf({
      NODE_ENV: "production",
      ASSAY_DATA: "/srv/assay",
      ASSAY_SECRET_FILE: "/srv/assay/s",
    }).length,
    1,
  )
  assert.deepEqual(
    faultsOf({
      NODE_ENV: "production",
      ASSAY_DATA: "/srv/assay",
      ASSAY_SECRET_FILE: "/etc/assay/s",
    }),
    [],
  )
  assert.deepEqual(
    faultsOf({ NODE_ENV: "production", ASSAY_DATA: "/srv/assay", ASSAY_SECRET_IN_DATA: "true" }),
    [],
  )
})

test("a secret can come from a file and is masked when shown", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-config-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "url")
  writeFileSync(file, "postgres://assay:hunter2@db/assay\n")
  const env = { DATABASE_URL_FILE: file, ASSAY_METRICS_TOKEN: "a-token-of-some-length" }
  assert.equal(readConfig(env).databaseUrl, "postgres://assay:hunter2@db/assay")
  const shown = JSON.stringify(shownSettings(env))
  assert.doesNotMatch(shown, /hunter2|a-token-of/)
  assert.match(faultsOf({ DATABASE_URL_FILE: "/nowhere/at/all" }).join(), /cannot be read/)
})

test("the workers flag wins over the environment", () => {
  assert.equal(readConfig({ ASSAY_WORKERS: "2" }, "3").workers, 3)
  assert.throws(() => readConfig({}, "many"), { code: "config" })
})

test("the cluster of the index is read from its URLs, and never shown", () => {
  const { indexUrl, indexName, indexBucketBits, indexTimeoutMs } = readConfig({
    ASSAY_INDEX_URL: "rediss://assay:hunter%2C2@one:7000, rediss://[2001:db8::2]",
    ASSAY_INDEX_BUCKET_BITS: "16",
  })
  assert.deepEqual(readClusterPlace(indexUrl ?? ""), {
    nodes: [
      { host: "one", port: 7000 },
      { host: "2001:db8::2", port: 6379 },
    ],
    tls: true,
    username: "assay",
    password: "hunter,2",
  })
  assert.deepEqual(
    { indexName, indexBucketBits, indexTimeoutMs },
    {
      indexName: "assay",
      indexBucketBits: 16,
      indexTimeoutMs: 1000,
    },
  )
  const shown = JSON.stringify(shownSettings({ ASSAY_INDEX_URL: "redis://:hunter2@one" }))
  assert.doesNotMatch(shown, /hunter2/)
})

test("without its URL the index has no cluster; URLs that do not make one cluster are refused", () => {
  assert.equal(readConfig({}).indexUrl, null)
  for (const url of [
    "one:7000",
    "http://one",
    "redis://one,rediss://two",
    "redis://one/0",
    "redis://a:b@one,redis://a:c@two",
    "redis://one,,redis://two",
    "redis://%zz:x@one",
  ]) {
    assert.equal(faultsOf({ ASSAY_INDEX_URL: url }).length, 1, url)
  }
  assert.equal(faultsOf({ ASSAY_INDEX_NAME: "a{b}" }).length, 1)
  assert.equal(faultsOf({ ASSAY_INDEX_BUCKET_BITS: "40" }).length, 1)
})

test("the console's origin is one that browsers trust, and its sessions have bounds", () => {
  const production = { NODE_ENV: "production", ASSAY_DATA: "/a", ASSAY_SECRET_FILE: "/b" }
  const { consoleOrigin, sessionIdleMinutes, sessionHours, trustedProxies } = readConfig(production)
  assert.deepEqual(
    [consoleOrigin, sessionIdleMinutes, sessionHours, trustedProxies],
    [null, 30, 12, []],
  )
  for (const origin of [
    "https://risk.acme.example",
    "https://a.example:8443",
    "http://localhost:81",
  ])
    assert.equal(readConfig({ CONSOLE_ORIGIN: origin }).consoleOrigin, origin)
  for (const origin of [
    "http://risk.acme.example",
    "https://risk.acme.example/",
    "https://user@risk.acme.example",
    "https://192.0.2.1",
    "https://[2001:db8::1]",
    "ftp://localhost",
    "risk.acme.example",
  ])
    assert.throws(() => readConfig({ CONSOLE_ORIGIN: origin }), /CONSOLE_ORIGIN takes an origin/)
  assert.throws(() => readConfig({ ASSAY_SESSION_HOURS: "0" }), /ASSAY_SESSION_HOURS/)
  assert.throws(() => readConfig({ ASSAY_SESSION_IDLE_MINUTES: "1441" }), /IDLE_MINUTES/)
  const proxies = "192.0.2.1, 2001:db8::1"
  assert.deepEqual(readConfig({ ASSAY_TRUSTED_PROXIES: proxies }).trustedProxies, [
    "192.0.2.1",
    "2001:db8::1",
  ])
  assert.throws(() => readConfig({ ASSAY_TRUSTED_PROXIES: "proxy.example" }), /TRUSTED_PROXIES/)
})

test("receivers of Shared Signals are given an https origin, or localhost while it is tried out", () => {
  const at = (origin: string, env: Record<string, string> = {}) =>
    readConfig({ ...env, ASSAY_SSF_ORIGIN: origin }).ssfOrigin
  assert.equal(readConfig({}).ssfOrigin, null)
  for (const origin of ["https://risk.acme.example", "https://192.0.2.1", "http://localhost:8080"])
    assert.equal(at(origin), origin)
  const production = {
    ...{ NODE_ENV: "production", ASSAY_DATA: "/srv/assay", ASSAY_SECRET_FILE: "/etc/assay" },
  }
  assert.equal(at("https://risk.acme.example", production), "https://risk.acme.example")
  assert.throws(() => at("http://localhost:8080", production), /ASSAY_SSF_ORIGIN takes an origin/)
  for (const origin of [
    "http://risk.acme.example",
    "https://risk.acme.example/ssf",
    "risk.example",
  ])
    assert.throws(() => at(origin), /ASSAY_SSF_ORIGIN takes an origin/)
})

test("the audit trail is kept for 30 days or more, or for ever, and its heads outside of the data directory", () => {
  const kept = (env: Record<string, string>) => readConfig({ ASSAY_DATA: "/srv/assay", ...env })
  assert.equal(kept({}).auditDays, 400)
  assert.equal(kept({}).auditHeadsFile, "/srv/assay.audit-heads")
  const apart = kept({ ASSAY_TOMBSTONES: "/srv/apart/tombstones" })
  assert.equal(apart.auditHeadsFile, "/srv/apart/assay.audit-heads")
  assert.equal(kept({}).auditSyslog, null)
  assert.equal(kept({ ASSAY_AUDIT_DAYS: "0" }).auditDays, 0)
  assert.equal(kept({ ASSAY_AUDIT_DAYS: "30" }).auditDays, 30)
  for (const days of ["29", "1", "-1", "x", "3651"])
    assert.throws(() => kept({ ASSAY_AUDIT_DAYS: days }), /ASSAY_AUDIT_DAYS takes/)
  assert.throws(
    () => kept({ ASSAY_AUDIT_HEADS: "/srv/assay/heads" }),
    /ASSAY_AUDIT_HEADS must name a file outside the data directory/,
  )
  assert.deepEqual(kept({ ASSAY_AUDIT_SYSLOG: "udp://log.example" }).auditSyslog, {
    protocol: "udp",
    host: "log.example",
    port: 514,
  })
  assert.throws(() => kept({ ASSAY_AUDIT_SYSLOG: "log.example" }), /ASSAY_AUDIT_SYSLOG takes/)
})

test("a port between nodes takes nodes that share their stores, and a name is no URL", () => {
  const stores = {
    DATABASE_URL: "postgres://assay@postgres/assay",
    ASSAY_INDEX_URL: "redis://valkey-0:6379",
  }
  const { nodePort, nodeAddress } = readConfig({
    ...stores,
    ASSAY_NODE_PORT: "9465",
    ASSAY_NODE_ADDRESS: "assay-0.assay-nodes",
  })
  assert.deepEqual([nodePort, nodeAddress], [9465, "assay-0.assay-nodes"])
  assert.deepEqual([readConfig({}).nodePort, readConfig(stores).nodePort], [null, null])
  assert.throws(() => readConfig({ ASSAY_NODE_PORT: "9465" }), /ASSAY_NODE_PORT is for nodes/)
  assert.throws(
    () => readConfig({ ...stores, ASSAY_NODE_PORT: "0" }),
    /ASSAY_NODE_PORT takes an integer/,
  )
  assert.throws(
    () => readConfig({ ...stores, ASSAY_NODE_ADDRESS: "http://assay-0" }),
    /ASSAY_NODE_ADDRESS takes a name/,
  )
})
