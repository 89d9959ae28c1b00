import { Explained } from "@assay/runtime/explained"
import { SIGN_UP_MODES, type SignUpMode } from "@assay/core/contract"
import { parseEmail } from "@assay/core/identity"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { basename, dirname, join, resolve, sep } from "node:path"
import { type DropConfig, dropSettings, readDropConfig } from "@assay/drop/drop-config"
import { type AddressRange, readAddressRange } from "@assay/runtime/outbound/address-guard"
import { readBaseUrl } from "@assay/runtime/outbound/base-url"
import { type NameServers, readNameServers } from "./name-servers.ts"
import { readSyslogTarget, type SyslogTarget } from "./syslog-target.ts"
import { type OidcConfig, oidcSettings, readOidcConfig } from "./oidc-config.ts"
import type { DatabasePlace } from "@assay/stores/database"
import { INDEX_BUCKET_BITS, type IndexPlace } from "@assay/stores/index-place"
import { databaseUrls } from "@assay/stores/open/open-database"
import { indexUrls } from "@assay/stores/open/open-index"
import { typedCommand } from "@assay/runtime/typed-command"

/** The environment a setting is read from; main.ts hands in the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>

/** How events are delivered. */
export interface WebhookConfig {
  /** Private addresses that may be called. */
  readonly allowed: readonly AddressRange[]
  readonly retrySeconds: readonly number[]
  readonly timeoutSeconds: number
}

/**
 * Where a demo's webhooks may be, besides the internet: `assay dev receiver`. Written as what would
 * be read: Node compiles an expression to read an address of IPv6, in every process of a start.
 */
const LOOPBACK: readonly AddressRange[] = [
  { address: "127.0.0.0", prefix: 8, family: "ipv4" },
  { address: "::1", prefix: 128, family: "ipv6" },
]

export interface Config extends DatabasePlace, IndexPlace {
  readonly production: boolean
  readonly port: number
  /** null: 127.0.0.1 and ::1. */
  readonly host: string | null
  readonly secretFile: string
  readonly tombstonesFile: string
  readonly auditHeadsFile: string
  /** Where heads of the audit trail are sent as well; null: nowhere. */
  readonly auditSyslog: SyslogTarget | null
  /** 0: for ever. */
  readonly auditDays: number
  /**
   * Without a place of its own the secret is made at first start; a path that was given is only
   * ever read.
   */
  readonly secretMayBeMade: boolean
  /** 0: never. */
  readonly indexVerifyHours: number
  readonly bootstrapKey: string | null
  readonly workers: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly metricsToken: string | null
  readonly metricsPort: number | null
  /** Where other nodes get segments; null: nowhere. */
  readonly nodePort: number | null
  /** By which name or address other nodes reach this one; null: as it listens. */
  readonly nodeAddress: string | null
  readonly shedDelayMs: number
  readonly requestSeconds: number
  readonly streamIdleSeconds: number
  readonly stopSeconds: number
  readonly silentSeconds: number
  /** Host names that a demo answers to, besides those of its machine. */
  readonly demoHosts: readonly string[]
  /** Who is asked about mail servers; null: nobody. */
  readonly dns: NameServers | null
  /** Where registration dates are asked for, with a slash at its end; null: nowhere. */
  readonly rdapUrl: string | null
  readonly webhooks: WebhookConfig
  /** Where receivers of OpenID Shared Signals reach the service; null: there are none. */
  readonly ssfOrigin: string | null
  readonly rdapRedirects: boolean
  readonly networkBudgetMs: number
  /** Who is asked about phone numbers, in a file that only those read who ask; null: nobody. */
  readonly providersFile: string | null
  /** Who gets every event, in a file that only the primary reads; null: nobody. */
  readonly sinksFile: string | null
  readonly decisions: (typeof DECISIONS)[number]
  readonly decisionDays: number
  /** Where people reach the console; null: of a demo, its own port, and in production nowhere. */
  readonly consoleOrigin: string | null
  readonly sessionIdleMinutes: number
  readonly sessionHours: number
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  readonly signUp: SignUpMode
  /** How letters are sent; null: none are. */
  readonly mail: MailSettings | null
  /** 0: no decision waits for an analyst. */
  readonly reviewDays: number
  /** What `/` shows in production. */
  readonly home: (typeof HOMES)[number]
  /** Whether files may be imported over HTTP. */
  readonly consoleImports: boolean
  /** Whose files may be imported by name; null: there is none. */
  readonly importFolder: string | null
  /** Single sign-on; null: there is none. */
  readonly oidc: OidcConfig | null
  readonly drop: DropConfig
}

export interface MailSettings {
  /** smtps://, or smtp:// which must offer TLS unless it is on this machine. */
  readonly smtpUrl: string
  readonly from: string
}

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
const HOMES = ["console", "drop"] as const
const DECISIONS = ["off", "on", "required"] as const

interface Setting {
  readonly name: string
  readonly takes: string
  readonly fallback: string
  readonly meaning: string
  /** A secret is never printed and may come from a file named by NAME_FILE. */
  readonly secret?: true
}

/** Every setting there is. The operating page and `assay config` print this table. */
export const settings = [
  {
    name: "NODE_ENV",
    takes: "`production` or anything else",
    fallback: "",
    meaning:
      "In production no demo data is loaded, demo keys are refused, and ASSAY_DATA and ASSAY_SECRET_FILE must be given.",
  },
  {
    name: "PORT",
    takes: "a port, 0 for any free one",
    fallback: "8080",
    meaning: "Port of the API.",
  },
  {
    name: "HOST",
    takes: "an address",
    fallback: "",
    meaning: "Address to listen on. Without it: 127.0.0.1 and ::1, this machine only.",
  },
  {
    name: "ASSAY_DATA",
    takes: "a directory",
    fallback: "./data",
    meaning: "Where everything that lasts is kept. Must be given in production.",
  },
  {
    name: "ASSAY_SECRET_FILE",
    takes: "a file",
    fallback: "",
    meaning:
      "File with the master secret, 64 hexadecimal digits. Without it: `secret` in the data directory, made at first start; in production that needs ASSAY_SECRET_IN_DATA.",
  },
  {
    name: "ASSAY_SECRET_IN_DATA",
    takes: "true or false",
    fallback: "false",
    meaning:
      "Allows the master secret inside the data directory in production: who copies that directory can then test any identity against it.",
  },
  {
    name: "ASSAY_TOMBSTONES",
    takes: "a file outside of the data directory",
    fallback: "",
    meaning:
      "Where it is kept who was erased, as keyed hashes, so that restoring a backup erases them again. Keep a copy apart from the backups. Without it: the name of the data directory with `.tombstones` behind it, beside it.",
  },
  {
    name: "ASSAY_AUDIT_HEADS",
    takes: "a file outside of the data directory",
    fallback: "",
    meaning:
      "Where the head of the audit trail is written every hour and at a stop, so that a trail that was cut is noticed. Put it on another disk, where whoever can change the database cannot write. Without it: beside ASSAY_TOMBSTONES, the name of the data directory with `.audit-heads` behind it.",
  },
  {
    name: "ASSAY_AUDIT_SYSLOG",
    takes: "udp://HOST:PORT or tcp://HOST:PORT",
    fallback: "",
    meaning:
      "Sends each head of the audit trail to a log server as well (RFC 5424). Without it: nowhere.",
  },
  {
    name: "ASSAY_AUDIT_DAYS",
    takes: "0, or an integer from 30 to 3650",
    fallback: "400",
    meaning: "Days an entry of the audit trail is kept. 0: for ever.",
  },
  {
    name: "DATABASE_URL",
    takes: "a postgres:// URL",
    fallback: "",
    secret: true,
    meaning:
      "Keeps tenants, keys and usage in PostgreSQL. Without it: SQLite in the data directory.",
  },
  {
    name: "ASSAY_INDEX_URL",
    takes: "redis:// or rediss:// URLs of nodes of one cluster, separated by commas",
    fallback: "",
    secret: true,
    meaning:
      "Keeps the exposure index in a Redis or Valkey cluster, for many machines. rediss:// is TLS; user and password stand in the first URL. Without it: LMDB in the data directory.",
  },
  {
    name: "ASSAY_INDEX_NAME",
    takes: "1 to 64 letters, digits, `-`, `_` and `.`",
    fallback: "assay",
    meaning: "Begins the names of the index's keys in the cluster, which can have several indexes.",
  },
  {
    name: "ASSAY_INDEX_BUCKET_BITS",
    takes: `an integer from ${INDEX_BUCKET_BITS.min} to ${INDEX_BUCKET_BITS.max}`,
    fallback: String(INDEX_BUCKET_BITS.fallback),
    meaning:
      "An index made in a cluster has 2 to the power of this many buckets; the fallback suits 100 million identities, one more suits twice as many. Fixed when the index is made.",
  },
  {
    name: "ASSAY_INDEX_TIMEOUT_MS",
    takes: "an integer from 50 to 60000",
    fallback: "1000",
    meaning:
      "Time in milliseconds a node of the cluster has to answer; what is not answered by then is 503. Commands that use the index, imports among them, give it a minute at least.",
  },
  {
    name: "ASSAY_INDEX_VERIFY_HOURS",
    takes: "an integer from 0 to 8760",
    fallback: "24",
    meaning:
      "Hours between two readings of all of the index in the data directory, at low priority; a fault fails /readyz. 0: never.",
  },
  {
    name: "ASSAY_BOOTSTRAP_KEY",
    takes: `an API key, as ${typedCommand("keys mint")} prints one`,
    fallback: "",
    secret: true,
    meaning:
      "Makes this the first API key, of an enterprise tenant `bootstrap` with every tenant scope, when no key exists yet.",
  },
  {
    name: "ASSAY_WORKERS",
    takes: "an integer from 1 to 64",
    fallback: "1",
    meaning: "Processes that answer requests. `--workers` wins over it.",
  },
  {
    name: "ASSAY_LOG_LEVEL",
    takes: LOG_LEVELS.join(", "),
    fallback: "info",
    meaning:
      "`info` logs starts, stops and requests that failed; `debug` every request. No level logs an identity.",
  },
  {
    name: "ASSAY_METRICS_TOKEN",
    takes: "a text of at least 16 characters",
    fallback: "",
    secret: true,
    meaning:
      "Bearer token for /metrics. In production /metrics answers only with it, or on ASSAY_METRICS_PORT.",
  },
  {
    name: "ASSAY_METRICS_PORT",
    takes: "a port",
    fallback: "",
    meaning:
      "Serves /metrics on this port of the same address, without a token, instead of beside the API.",
  },
  {
    name: "ASSAY_NODE_PORT",
    takes: "a port",
    fallback: "",
    meaning:
      "Where several nodes share index and records: the port, of the same address, at which the others get the segments of imports, by a key of the master secret. Without it an import takes place where those of all earlier ones are.",
  },
  {
    name: "ASSAY_NODE_ADDRESS",
    takes: "a name or an address",
    fallback: "",
    meaning:
      "By which the other nodes reach this one at ASSAY_NODE_PORT. Without it: HOST, or the name of the machine where that is all addresses.",
  },
  {
    name: "ASSAY_SHED_DELAY_MS",
    takes: "an integer from 10 to 10000",
    fallback: "500",
    meaning:
      "Event-loop delay in milliseconds past which requests are turned away with 503 until it falls.",
  },
  {
    name: "ASSAY_REQUEST_SECONDS",
    takes: "an integer from 1 to 300",
    fallback: "10",
    meaning: "Time a client has to send a whole request; slower senders are cut off.",
  },
  {
    name: "ASSAY_STREAM_IDLE_SECONDS",
    takes: "an integer from 1 to 3600",
    fallback: "60",
    meaning:
      "Time a stream may stand still, because its sender sends nothing or its reader takes nothing, and time the reader of any other answer may take nothing of it; then it is ended.",
  },
  {
    name: "ASSAY_STOP_SECONDS",
    takes: "an integer from 1 to 300",
    fallback: "20",
    meaning: "Time requests in flight have to finish when the service stops.",
  },
  {
    name: "ASSAY_SILENT_SECONDS",
    takes: "an integer from 1 to 600",
    fallback: "20",
    meaning:
      "Time a worker, or the process of the drop, may give no sign of life before it is ended and replaced.",
  },
  {
    name: "ASSAY_DEMO_HOSTS",
    takes: "names, separated by commas",
    fallback: "",
    meaning:
      "Names in a URL that a demo answers to besides localhost and the names and addresses of its machine. In production any name is answered.",
  },
  {
    name: "ASSAY_DNS",
    takes: "`system`, or addresses with or without a port, separated by commas",
    fallback: "",
    meaning:
      "Looks up mail servers, SPF and DMARC of an address's domain, at the machine's own resolver or at these. Without it nobody is asked.",
  },
  {
    name: "ASSAY_WEBHOOK_ALLOW",
    takes: "addresses and ranges such as 10.1.0.0/16, separated by commas",
    fallback: "",
    meaning:
      "Private addresses that webhooks may call, also by plain http://. All others that are not public are refused. A demo allows this machine.",
  },
  {
    name: "ASSAY_WEBHOOK_RETRY_SECONDS",
    takes: "1 to 20 integers from 1 to 86400, separated by commas",
    fallback: "5,300,1800,7200,18000,36000,50400,72000,86400",
    meaning:
      "How long to wait after each failed attempt to deliver an event. After the last one it is given up.",
  },
  {
    name: "ASSAY_WEBHOOK_TIMEOUT_SECONDS",
    takes: "an integer from 1 to 30",
    fallback: "15",
    meaning: "How long a receiver may take to answer.",
  },
  {
    name: "ASSAY_SSF_ORIGIN",
    takes: "an https:// origin; outside of production also an http:// origin of localhost",
    fallback: "",
    meaning:
      "Where receivers of OpenID Shared Signals reach this service, such as https://risk.example.com; it is part of every token, so do not change it once receivers are set up. Without it there are no streams.",
  },
  {
    name: "ASSAY_RDAP_URL",
    takes: "an https:// URL, or an http:// URL of this machine",
    fallback: "",
    meaning:
      "Looks up when an address's domain was registered, by RDAP under this URL. Without it nobody is asked.",
  },
  {
    name: "ASSAY_RDAP_REDIRECTS",
    takes: "true or false",
    fallback: "false",
    meaning:
      "Follows redirects of ASSAY_RDAP_URL to other hosts, as services that only know the right registry send them. Those registries then learn the domain too.",
  },
  {
    name: "ASSAY_NETWORK_BUDGET_MS",
    takes: "an integer from 1 to 10000",
    fallback: "100",
    meaning:
      "Time in milliseconds an answer waits for look-ups over the network. What is not there by then is unknown to it.",
  },
  {
    name: "ASSAY_PROVIDERS",
    takes: "a JSON file",
    fallback: "",
    meaning:
      "Carriers and vendors that are asked about phone numbers, with what that may cost a day. Only for tenants that are allowed to and switched it on. Without it nobody is asked.",
  },
  {
    name: "ASSAY_SINKS",
    takes: "a JSON file",
    fallback: "",
    meaning:
      "Security tools that get every event, of all tenants: Splunk, Elastic, Sentinel, OCSF, syslog, files. Without it none does.",
  },
  {
    name: "ASSAY_DECISIONS",
    takes: DECISIONS.join(", "),
    fallback: "on",
    meaning:
      "Whether scored requests are recorded so that they can be repeated. `on`: one that cannot be recorded is answered without X-Decision-Id; `required`: it is answered with 503.",
  },
  {
    name: "ASSAY_DECISION_DAYS",
    takes: "an integer from 1 to 3650",
    fallback: "90",
    meaning: "Days a decision is kept.",
  },
  {
    name: "CONSOLE_ORIGIN",
    takes: "an https:// origin, or an http:// origin of localhost",
    fallback: "",
    meaning:
      "Where people reach this service in a browser, such as https://risk.example.com; passkeys are bound to it. Without it nobody can sign in in production, and a demo is at http://localhost with its port.",
  },
  {
    name: "ASSAY_SESSION_IDLE_MINUTES",
    takes: "an integer from 1 to 1440",
    fallback: "30",
    meaning: "Minutes after which a session that is not used ends.",
  },
  {
    name: "ASSAY_SESSION_HOURS",
    takes: "an integer from 1 to 720",
    fallback: "12",
    meaning: "Hours after which every session ends, however much it is used.",
  },
  {
    name: "ASSAY_TRUSTED_PROXIES",
    takes: "addresses, separated by commas",
    fallback: "",
    meaning:
      "Reverse proxies whose X-Forwarded-For says where somebody who signs in comes from, so that failed attempts are counted by their network. Without it: the address of the connection, and none for connections of this machine.",
  },
  {
    name: "ASSAY_SIGNUP",
    takes: SIGN_UP_MODES.join(", "),
    fallback: "",
    meaning:
      "Whether strangers can sign up for the free plan. `open`: at once; `confirmed`: by a token that is mailed to them; `approved`: once an administrator agrees. Without it: `open` in a demo, `off` in production.",
  },
  {
    name: "ASSAY_SMTP_URL",
    takes: "an smtps:// or smtp:// URL, with user and password where the server wants them",
    fallback: "",
    secret: true,
    meaning:
      "The mail server that takes letters of sign-ups. smtp:// goes on only if the server offers TLS, unless it is on this machine.",
  },
  {
    name: "ASSAY_MAIL_FROM",
    takes: "an e-mail address",
    fallback: "",
    meaning: "The sender of letters; needed with ASSAY_SMTP_URL.",
  },
  {
    name: "ASSAY_REVIEW_DAYS",
    takes: "an integer from 0 to 3650",
    fallback: "90",
    meaning:
      "Days a decision that recommends `review` or `block` waits for an analyst, and what was found out about it is kept; 0: none waits.",
  },
  {
    name: "ASSAY_HOME",
    takes: HOMES.join(" or "),
    fallback: "console",
    meaning:
      "What `/` is in production: the sign-in page of the console, or the way to the drop's page. In a demo it is the playground.",
  },
  {
    name: "ASSAY_CONSOLE_IMPORTS",
    takes: "true or false",
    fallback: "false",
    meaning:
      "Whether administrators may import files into the corpus over HTTP, and so in the console. In a demo they always may.",
  },
  {
    name: "ASSAY_IMPORT_FOLDER",
    takes: "a folder",
    fallback: "",
    meaning:
      "Files of this folder may be imported by their names, where ASSAY_CONSOLE_IMPORTS allows imports: for zip archives and Parquet files, which cannot be read while they arrive.",
  },
  ...oidcSettings,
  ...dropSettings,
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]["name"]

/**
 * Names the tests, soak runs and `assay score` use; anything else that starts with ASSAY_, DROP_ or
 * OIDC_ is a typing mistake.
 */
const NOT_SETTINGS = new Set([
  "ASSAY_SOAK",
  "ASSAY_COMMAND_MINUTES",
  "ASSAY_CAMARA_SPECS",
  "ASSAY_API_KEY",
])

const secretNames: ReadonlySet<string> = new Set(
  settings.filter((setting) => "secret" in setting).map(({ name }) => name),
)

/** The wrong settings of a start, all at once. Values are not repeated: some are secrets. */
export function wrongSettings(...faults: readonly string[]): Explained {
  return new Explained("config", ["Cannot start, wrong settings:", ...faults].join("\n  "))
}

/** Reads all settings, or throws one Explained `config` that names every fault. */
export function readConfig(env: Environment, workersFlag?: string): Config {
  const faults: string[] = []
  for (const name of Object.keys(env)) {
    if (/^(ASSAY|DROP|OIDC)_/.test(name) && !isKnown(name))
      faults.push(`${name} is not a setting; ${typedCommand("config")} lists them`)
  }

  const text = (name: SettingName): string => {
    const file = secretNames.has(name) ? env[`${name}_FILE`] : undefined
    if (file === undefined || file === "") return (env[name] ?? "") || fallbackOf(name)
    try {
      return readFileSync(file, "utf8").trim()
    } catch {
      faults.push(`${name}_FILE names a file that cannot be read`)
      return ""
    }
  }
  const optional = (name: SettingName): string | null => text(name) || null
  const integer = (name: SettingName, min: number, max: number, given = text(name)): number => {
    const value = Number(given)
    if (!/^\d+$/.test(given) || value < min || value > max)
      faults.push(`${name} takes an integer from ${min} to ${max}`)
    return value
  }
  const flag = (name: SettingName): boolean => {
    if (text(name) !== "true" && text(name) !== "false") faults.push(`${name} takes true or false`)
    return text(name) === "true"
  }

  const production = env["NODE_ENV"] === "production"
  if (production && !env["ASSAY_DATA"])
    faults.push("ASSAY_DATA must name the data directory in production")
  const dataDirectory = resolve(text("ASSAY_DATA"))
  const secretFile = resolve(optional("ASSAY_SECRET_FILE") ?? `${dataDirectory}/secret`)
  const secretInData = flag("ASSAY_SECRET_IN_DATA")
  if (production && !secretInData && secretFile.startsWith(dataDirectory + sep)) {
    faults.push(
      "ASSAY_SECRET_FILE must name a file outside the data directory in production (or set ASSAY_SECRET_IN_DATA=true)",
    )
  }

  const tombstonesFile = resolve(optional("ASSAY_TOMBSTONES") ?? `${dataDirectory}.tombstones`)
  if (tombstonesFile.startsWith(dataDirectory + sep))
    faults.push("ASSAY_TOMBSTONES must name a file outside the data directory")

  // Beside the tombstones, which are outside of the data directory too and can be written.
  const auditHeadsFile = resolve(
    optional("ASSAY_AUDIT_HEADS") ??
      join(dirname(tombstonesFile), `${basename(dataDirectory)}.audit-heads`),
  )
  if (auditHeadsFile.startsWith(dataDirectory + sep))
    faults.push("ASSAY_AUDIT_HEADS must name a file outside the data directory")
  const syslogText = optional("ASSAY_AUDIT_SYSLOG")
  const auditSyslog = syslogText === null ? null : readSyslogTarget(syslogText)
  if (syslogText !== null && auditSyslog === null)
    faults.push("ASSAY_AUDIT_SYSLOG takes udp://HOST:PORT or tcp://HOST:PORT")
  const auditDays = text("ASSAY_AUDIT_DAYS") === "0" ? 0 : integer("ASSAY_AUDIT_DAYS", 30, 3_650)

  const databaseUrl = optional("DATABASE_URL")
  if (databaseUrl !== null && !databaseUrls.isTaken(databaseUrl))
    faults.push(`DATABASE_URL takes ${databaseUrls.takes}`)
  const indexUrl = optional("ASSAY_INDEX_URL")
  if (indexUrl !== null && !indexUrls.isTaken(indexUrl))
    faults.push(`ASSAY_INDEX_URL takes ${indexUrls.takes}`)
  const indexName = text("ASSAY_INDEX_NAME")
  if (!/^[\w.-]{1,64}$/.test(indexName))
    faults.push("ASSAY_INDEX_NAME takes 1 to 64 letters, digits, `-`, `_` and `.`")
  const logLevel = LOG_LEVELS.find((level) => level === text("ASSAY_LOG_LEVEL"))
  if (logLevel === undefined) faults.push(`ASSAY_LOG_LEVEL takes ${LOG_LEVELS.join(", ")}`)
  const home = HOMES.find((word) => word === text("ASSAY_HOME"))
  if (home === undefined) faults.push(`ASSAY_HOME takes ${HOMES.join(" or ")}`)
  const decisions = DECISIONS.find((word) => word === text("ASSAY_DECISIONS"))
  if (decisions === undefined) faults.push(`ASSAY_DECISIONS takes ${DECISIONS.join(", ")}`)
  const metricsToken = optional("ASSAY_METRICS_TOKEN")
  if (metricsToken !== null && metricsToken.length < 16)
    faults.push("ASSAY_METRICS_TOKEN takes at least 16 characters")
  const nodeAddress = optional("ASSAY_NODE_ADDRESS")
  if (nodeAddress !== null && !/^[\w.:-]{1,255}$/.test(nodeAddress))
    faults.push("ASSAY_NODE_ADDRESS takes a name or an address, without a port")
  if (optional("ASSAY_NODE_PORT") !== null && (databaseUrl === null || indexUrl === null))
    faults.push("ASSAY_NODE_PORT is for nodes that share DATABASE_URL and ASSAY_INDEX_URL")
  const dnsText = optional("ASSAY_DNS")
  const dns = dnsText === null ? null : readNameServers(dnsText)
  if (dnsText !== null && dns === null)
    faults.push(
      "ASSAY_DNS takes `system`, or addresses such as 192.0.2.1, 192.0.2.1:53 or [::1]:53",
    )
  const webhookAllow: readonly (AddressRange | null)[] =
    optional("ASSAY_WEBHOOK_ALLOW")
      ?.split(",")
      .filter((each) => each.trim() !== "")
      .map(readAddressRange) ?? (production ? [] : LOOPBACK)
  if (webhookAllow.includes(null))
    faults.push("ASSAY_WEBHOOK_ALLOW takes addresses and ranges such as 10.1.0.0/16")
  const webhookRetrySeconds = text("ASSAY_WEBHOOK_RETRY_SECONDS").split(",").map(Number)
  if (
    webhookRetrySeconds.length > 20 ||
    !webhookRetrySeconds.every((wait) => Number.isInteger(wait) && wait >= 1 && wait <= 86_400)
  )
    faults.push("ASSAY_WEBHOOK_RETRY_SECONDS takes 1 to 20 integers from 1 to 86400")
  const rdapText = optional("ASSAY_RDAP_URL")
  const rdapUrl = rdapText === null ? null : readBaseUrl(rdapText)
  if (rdapText !== null && rdapUrl === null) {
    faults.push(
      "ASSAY_RDAP_URL takes an https:// URL without user, query or fragment (http:// only on this machine)",
    )
  }

  const ssfOrigin = optional("ASSAY_SSF_ORIGIN")
  if (ssfOrigin !== null && !isReceiversOrigin(ssfOrigin, production))
    faults.push(
      "ASSAY_SSF_ORIGIN takes an origin such as https://risk.example.com, without a path (http:// only with localhost, outside of production)",
    )
  const consoleOrigin = optional("CONSOLE_ORIGIN")
  if (consoleOrigin !== null && !isConsoleOrigin(consoleOrigin))
    faults.push(
      "CONSOLE_ORIGIN takes an origin such as https://risk.example.com (http:// only with localhost), without a path",
    )
  const trustedProxies = listed(text("ASSAY_TRUSTED_PROXIES"))
  if (!trustedProxies.every((address) => isIP(address) !== 0))
    faults.push("ASSAY_TRUSTED_PROXIES takes addresses, such as 192.0.2.1")
  const signUpWord = optional("ASSAY_SIGNUP") ?? (production ? "off" : "open")
  const signUp = SIGN_UP_MODES.find((mode) => mode === signUpWord)
  if (signUp === undefined) faults.push(`ASSAY_SIGNUP takes ${SIGN_UP_MODES.join(", ")}`)
  const smtpUrl = optional("ASSAY_SMTP_URL")
  if (smtpUrl !== null && !isSmtpUrl(smtpUrl))
    faults.push("ASSAY_SMTP_URL takes an smtps:// or smtp:// URL without a path")
  const from = optional("ASSAY_MAIL_FROM")
  if (from !== null && "fault" in parseEmail(from))
    faults.push("ASSAY_MAIL_FROM takes an e-mail address")
  if ((smtpUrl === null) !== (from === null))
    faults.push("ASSAY_SMTP_URL and ASSAY_MAIL_FROM are needed together")
  if (signUp === "confirmed" && smtpUrl === null)
    faults.push("ASSAY_SIGNUP=confirmed needs ASSAY_SMTP_URL and ASSAY_MAIL_FROM")

  const config = {
    production,
    port: integer("PORT", 0, 65_535),
    host: optional("HOST"),
    dataDirectory,
    secretFile,
    tombstonesFile,
    auditHeadsFile,
    auditSyslog,
    auditDays,
    secretMayBeMade: optional("ASSAY_SECRET_FILE") === null,
    databaseUrl,
    indexUrl,
    indexName,
    indexBucketBits: integer(
      "ASSAY_INDEX_BUCKET_BITS",
      INDEX_BUCKET_BITS.min,
      INDEX_BUCKET_BITS.max,
    ),
    indexTimeoutMs: integer("ASSAY_INDEX_TIMEOUT_MS", 50, 60_000),
    indexVerifyHours: integer("ASSAY_INDEX_VERIFY_HOURS", 0, 8_760),
    bootstrapKey: optional("ASSAY_BOOTSTRAP_KEY"),
    workers: integer("ASSAY_WORKERS", 1, 64, workersFlag),
    logLevel: logLevel ?? "info",
    metricsToken,
    metricsPort:
      optional("ASSAY_METRICS_PORT") === null ? null : integer("ASSAY_METRICS_PORT", 1, 65_535),
    nodePort: optional("ASSAY_NODE_PORT") === null ? null : integer("ASSAY_NODE_PORT", 1, 65_535),
    nodeAddress,
    shedDelayMs: integer("ASSAY_SHED_DELAY_MS", 10, 10_000),
    requestSeconds: integer("ASSAY_REQUEST_SECONDS", 1, 300),
    streamIdleSeconds: integer("ASSAY_STREAM_IDLE_SECONDS", 1, 3600),
    stopSeconds: integer("ASSAY_STOP_SECONDS", 1, 300),
    silentSeconds: integer("ASSAY_SILENT_SECONDS", 1, 600),
    demoHosts: listed(text("ASSAY_DEMO_HOSTS")),
    dns,
    ssfOrigin,
    rdapUrl,
    rdapRedirects: flag("ASSAY_RDAP_REDIRECTS"),
    networkBudgetMs: integer("ASSAY_NETWORK_BUDGET_MS", 1, 10_000),
    providersFile: optional("ASSAY_PROVIDERS"),
    sinksFile: optional("ASSAY_SINKS"),
    webhooks: {
      allowed: webhookAllow.flatMap((range) => range ?? []),
      retrySeconds: webhookRetrySeconds,
      timeoutSeconds: integer("ASSAY_WEBHOOK_TIMEOUT_SECONDS", 1, 30),
    },
    decisions: decisions ?? "on",
    decisionDays: integer("ASSAY_DECISION_DAYS", 1, 3_650),
    consoleOrigin,
    sessionIdleMinutes: integer("ASSAY_SESSION_IDLE_MINUTES", 1, 1_440),
    sessionHours: integer("ASSAY_SESSION_HOURS", 1, 720),
    trustedProxies,
    signUp: signUp ?? "off",
    mail: smtpUrl === null || from === null ? null : { smtpUrl, from },
    reviewDays: integer("ASSAY_REVIEW_DAYS", 0, 3_650),
    home: home ?? "console",
    consoleImports: !production || flag("ASSAY_CONSOLE_IMPORTS"),
    importFolder: optional("ASSAY_IMPORT_FOLDER"),
    oidc: readOidcConfig({ production, consoleOrigin, optional, faults }),
    drop: readDropConfig({ production, optional, integer, faults }),
  }
  if (config.home === "drop" && !config.drop.on)
    faults.push("ASSAY_HOME=drop needs a drop: DROP_PORT or DROP_ORIGIN")
  if (faults.length > 0) throw wrongSettings(...faults)
  return config
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
}

/** Passkeys and cookies of the console work only where a browser trusts the connection. */
function isConsoleOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  if (origin !== text || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false
  return protocol === "https:" || (protocol === "http:" && hostname === "localhost")
}

function isReceiversOrigin(text: string, production: boolean): boolean {
  if (!URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  if (origin !== text) return false
  return protocol === "https:" || (!production && protocol === "http:" && hostname === "localhost")
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  const isBare = (pathname === "" || pathname === "/") && search === "" && hash === ""
  return (protocol === "smtp:" || protocol === "smtps:") && hostname !== "" && isBare
}

export interface ShownSetting {
  readonly name: string
  readonly value: string
  readonly source: "environment" | "file" | "default"
  readonly meaning: string
}

/** Every setting with where its value comes from; secrets are masked. */
export function shownSettings(env: Environment): ShownSetting[] {
  return settings.map(({ name, meaning, fallback }) => {
    const source =
      secretNames.has(name) && env[`${name}_FILE`] ? "file" : env[name] ? "environment" : "default"
    const value =
      source === "default" ? fallback : secretNames.has(name) ? "(secret)" : (env[name] ?? "")
    return { name, value, source, meaning }
  })
}

function fallbackOf(name: SettingName): string {
  return settings.find((setting) => setting.name === name)?.fallback ?? ""
}

function isKnown(name: string): boolean {
  const stem = name.replace(/_FILE$/, "")
  return (
    NOT_SETTINGS.has(name) ||
    settings.some((setting) => setting.name === name) ||
    secretNames.has(stem)
  )
}
