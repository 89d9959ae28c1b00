import assert from "node:assert/strict"
import { join } from "node:path"
import { promisify } from "node:util"
import ajvCompiler from "@fastify/ajv-compiler"
import { Registry } from "prom-client"
import { buildApp } from "../../packages/server/src/run/app.ts"
import type { Services } from "../../packages/server/src/run/services.ts"
import { openCallerOf, openConsoleOrigin } from "../../packages/server/src/accounts/caller-of.ts"
import { type Callers, openCallers } from "../../packages/server/src/accounts/callers.ts"
import { openLimits } from "../../packages/server/src/accounts/limits.ts"
import { mintFirstKeys } from "../../packages/server/src/accounts/first-keys.ts"
import { openSessions } from "../../packages/server/src/accounts/sessions.ts"
import { openUsage } from "../../packages/server/src/accounts/usage.ts"
import { openEventNews } from "../../packages/server/src/events/event-news.ts"
import { loadDemoCorpus } from "../../packages/server/src/demo/demo.ts"
import { openMetrics } from "../../packages/server/src/base/metrics.ts"
import { budgetOf, noBudget } from "../../packages/server/src/health/budget.ts"
import { levelsOf } from "../../packages/server/src/health/levels.ts"
import {
  countRequests,
  type RequestCounts,
} from "../../packages/server/src/health/request-counts.ts"
import { monthOf } from "@assay/runtime/time"
import { VERSION } from "../../packages/server/src/base/version.ts"
import { noSinks } from "../../packages/server/src/run/no-sinks.ts"
import { onceForSchemas, schemaCompilers } from "../../packages/server/src/http/schema-compilers.ts"
import { openStreams } from "../../packages/server/src/http/streams.ts"
import { openVisitorNetwork } from "../../packages/server/src/http/visitor-network.ts"
import { openLog } from "../../packages/runtime/src/log.ts"
import {
  type DecisionRecorder,
  decisionsOff,
} from "../../packages/server/src/score/decision-draft.ts"
import { openLists } from "../../packages/server/src/score/email/lists.ts"
import { openComparisons } from "../../packages/server/src/policy/comparisons.ts"
import { openModels } from "../../packages/server/src/score/models.ts"
import { networkTrustOff } from "../../packages/server/src/score/network-trust.ts"
import { openVelocityOfContext } from "../../packages/server/src/score/velocity.ts"
import { deriveSecrets, type Secrets } from "../../packages/runtime/src/secrets.ts"
import type { Counters } from "../../packages/stores/src/counters.ts"
import { embeddedCounters } from "../../packages/stores/src/embedded/counters.ts"
import type { ExposureIndex } from "../../packages/stores/src/exposure-index.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { openVelocityOfNumbers } from "../../packages/server/src/score/phone/number-velocity.ts"
import { openNotifyingCarriers } from "../../packages/server/src/notifications/notifying-carriers.ts"
import {
  type SignalLookup,
  signalsOff,
} from "../../packages/server/src/score/providers/phone-signals.ts"
import { temporaryDirectory } from "./temporary.ts"
import { aloneTurns } from "../../packages/server/src/http/alone-turns.ts"
import { noOtherNodes } from "../../packages/server/src/decisions/other-nodes.ts"
import { openWriters } from "../../packages/server/src/run/writers.ts"
import { openTombstones } from "../../packages/server/src/subjects/tombstone-file.ts"

/** Fastify's own, one for all applications: it compiles a schema once, and not for each of them. */
const compilers = { ...schemaCompilers, buildValidator: onceForSchemas(ajvCompiler()) }

const temporary = temporaryDirectory()
let opened = 0

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Readonly<Record<string, unknown>>
}

export interface Application {
  readonly index: ExposureIndex
  readonly records: Records
  readonly key: string
  readonly clock: { ms: number }
  readonly log: string[]
  readonly metrics: () => Promise<string>
  /** What a worker would hand to the primary. */
  readonly counted: () => RequestCounts
  score(email: string, key?: string, context?: object): Promise<Answer>
  /** Sends many addresses as a batch, or as a stream of lines, and returns the answer's text. */
  scoreMany(emails: readonly string[], as: "batch" | "stream"): Promise<[number, string]>
  /** The status a path is answered with; without a key unless one is given. */
  get(path: string, key?: string): Promise<number>
  /** Sends a request over a socket of this machine. */
  post(path: string, body: object): Promise<Response>
  /** Sends a body as it is, within this process. */
  send(path: string, key: string, contentType: string, body: string): Promise<Answer>
  /** Where it listens, from the first call on, its demo key, and how many connections it holds. */
  listen(): Promise<{
    readonly port: number
    readonly key: string
    connections(): Promise<number>
  }>
  /** Sends a request without a socket: what is measured is our own work. */
  inject(request: RawRequest): Promise<number>
  close(): Promise<void>
}

export interface RawRequest {
  readonly method?: "GET" | "POST"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

export interface Change {
  readonly index?: (index: ExposureIndex) => ExposureIndex
  readonly counters?: Counters
  readonly callers?: (callers: Callers) => Callers
  readonly signals?: SignalLookup
  readonly decisions?: DecisionRecorder
  /** Fills the master secret; each application has one of its own unless given. */
  readonly secret?: number
  /** Sockets are answered by Fastify alone, also where a request could take the direct way. */
  readonly byFastify?: boolean
  readonly overloaded?: () => boolean
  readonly streamIdleSeconds?: number
  /** The moment at which the application stands still, until the test moves its clock. */
  readonly nowMs?: number
  /** The time that passes, apart from the clock: the machine's own unless given. */
  readonly elapsed?: () => number
  /** Fills the index, instead of the demo's evidence. */
  readonly seed?: (index: ExposureIndex, secrets: Secrets, nowMs: number) => Promise<void>
}

/** The real application on real stores in this process, where a test can take a store away. */
export async function openApplication(change: Change = {}): Promise<Application> {
  const directory = join(temporary, String(++opened))
  const clock = { ms: change.nowMs ?? Date.now() }
  const now = (): number => clock.ms
  const elapsed = change.elapsed ?? ((): number => performance.now())
  const lines: string[] = []
  const log = openLog("info", { write: (line: string) => void lines.push(line) })
  const secrets = deriveSecrets(new Uint8Array(32).fill(change.secret ?? opened))
  const index = await openLmdbIndex({ path: `${directory}-index` })
  const records = await openSqliteRecords({
    file: `${directory}.sqlite`,
    auditKey: secrets.subkeys.audit,
  })
  await records.migrate()
  await (change.seed ?? loadDemoCorpus)(index, secrets, now())
  const key =
    (await mintFirstKeys(
      records,
      {
        production: false,
        bootstrapKey: null,
      },
      secrets,
      now(),
    )) ?? ""
  const registry = new Registry()
  const requests = countRequests(openMetrics(registry, () => registry.metrics()))
  const { metrics } = requests
  const callers = openCallers({ accounts: records, now, elapsed, demoKeysAllowed: true })
  const counters = change.counters ?? embeddedCounters({ now, elapsed })
  const changedCallers = change.callers?.(callers) ?? callers
  const idleMs = 1_800_000
  const { touchSessions: touch } = records
  const sessions = openSessions({ records, touch, now, elapsed, idleMs })
  const consoleOrigin = openConsoleOrigin({ production: false, consoleOrigin: null })
  const services: Services = {
    config: {
      production: false,
      requestSeconds: 10,
      decisions: "off",
      decisionDays: 90,
      reviewDays: 90,
      ssfOrigin: null,
      auditDays: 400,
      streamIdleSeconds: change.streamIdleSeconds ?? 60,
      metricsToken: null,
      metricsPort: null,
      signUp: "open",
      home: "console",
      oidc: null,
      consoleImports: false,
      importFolder: null,
      dns: null,
    },
    log,
    now,
    countingNow: now,
    secrets,
    index: change.index?.(index) ?? index,
    lists: openLists(`${directory}-lists`),
    network: networkTrustOff,
    velocity: openVelocityOfContext({ counters, secrets, log, metrics }),
    numberVelocity: openVelocityOfNumbers({ counters, secrets, log, metrics }),
    signals: change.signals ?? signalsOff,
    decisions: change.decisions ?? decisionsOff,
    pastDecisions: {
      find: async () => null,
      list: async () => [],
      count: async () => ({ counts: [], next: null }),
    },
    otherNodes: noOtherNodes,
    // Tests of comparisons start the service as a process.
    comparisons: openComparisons({
      place: { dataDirectory: directory, databaseUrl: null },
      models: `${directory}-models`,
      fold: async () => undefined,
      othersSettled: async () => undefined,
      log,
    }),
    models: openModels(`${directory}-models`),
    callers: changedCallers,
    callerOf: openCallerOf({ callers: changedCallers, sessions, consoleOrigin }),
    people: records,
    consoleOrigin,
    visitorNetwork: openVisitorNetwork([]),
    signInProvider: null,
    limits: openLimits({
      counters,
      now,
      elapsed,
      onQuotaReached: () => undefined,
      onUnavailable: metrics.countLimitsUnavailable,
    }),
    usage: openUsage(records, now, log),
    metering: records,
    reviewRecords: records,
    viewRecords: records,
    watchRecords: records,
    eventRecords: records,
    eventNews: openEventNews({ newest: () => records.newestEvent() }),
    policyRecords: records,
    keyRecords: records,
    webhookRecords: records,
    sharedSignalRecords: records,
    tenantRecords: records,
    carriers: openNotifyingCarriers(null),
    askDrop: null,
    dropPage: () => null,
    audit: (note) => records.addAudit(note),
    trail: records,
    metrics,
    pressure: { isHigh: change.overloaded ?? (() => false) },
    refusalMs: 0,
    streams: openStreams(),
    program: process,
    pingRecords: () => records.ping(),
    requireSoundIndex: () => undefined,
    serviceLevels: async (period) => levelsOf(new Map(), period, now()),
    errorBudget: async (month) => budgetOf(noBudget(), month ?? monthOf(now()), now()),
    healthChecks: {},
    aboutService: { version: VERSION, started_at: "", workers: 1, models: [], settings: [] },
  }
  const writers = await openWriters(
    {
      records,
      index,
      decisions: { ofIdentity: async () => [], eraseIdentity: async () => 0 },
      fold: async () => undefined,
      deleteSetAside: () => undefined,
      tombstones: await openTombstones(`${directory}-tombstones`, secrets.checkValue),
      forgetSignals: async () => undefined,
      secrets,
      sessions: { idleMs, lifeMs: 43_200_000 },
      signUp: { mode: "open", sendMail: null },
      importRunner: {
        nodeId: null,
        socketPath: `${directory}-upload`,
        statesPath: `${directory}-imports.json`,
        isImporting: () => false,
        isImportingAnywhere: async () => false,
        start: () => assert.fail("an import was started"),
        now,
        elapsed,
      },
      lists: {
        directory: `${directory}-lists`,
        reload: async () => undefined,
        reloads: () => 0,
      },
      directories: { models: `${directory}-models`, segments: `${directory}-segments` },
      sinks: noSinks,
      deliveries: {
        begin: async () => undefined,
        refusalOf: async () => null,
        proofOf: async () => null,
        shoot: () => assert.fail("an event was sent"),
      },
      ssfOrigin: null,
      now,
      turns: aloneTurns(records),
      reviewDays: 90,
    },
    log,
  )
  const app = await buildApp(services, writers.get, compilers)
  if (change.byFastify === true) {
    app.server.removeAllListeners("request")
    app.server.on("request", app.routing)
  }
  let address: string | null = null
  const listen = async (): Promise<string> =>
    (address ??= await app.listen({ port: 0, host: "127.0.0.1" }))
  const sent = async (path: string, contentType: string, body: string): Promise<Response> => {
    return await fetch((await listen()) + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": contentType },
      body,
    })
  }
  return {
    index,
    records,
    key,
    clock,
    log: lines,
    metrics: () => registry.metrics(),
    counted: requests.take,
    async score(email, with_ = key, context) {
      const answer = await app.inject({
        method: "POST",
        url: "/api/v1/risk/score",
        headers: { authorization: `Bearer ${with_}` },
        payload: { email, ...(context && { context }) },
      })
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    },
    async scoreMany(emails, as) {
      const response =
        as === "batch"
          ? await sent("/api/v1/risk/score/batch", "application/json", JSON.stringify({ emails }))
          : await sent(
              "/api/v1/risk/score/batch",
              "application/x-ndjson",
              emails.map((email) => JSON.stringify({ email })).join("\n"),
            )
      return [response.status, await response.text()]
    },
    post: (path, body) => sent(path, "application/json", JSON.stringify(body)),
    async send(path, with_, contentType, body) {
      const answer = await app.inject({
        method: "POST",
        url: path,
        headers: { authorization: `Bearer ${with_}`, "content-type": contentType },
        payload: body,
      })
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    },
    async listen() {
      const { port } = new URL(await listen())
      const connections = promisify(app.server.getConnections.bind(app.server))
      return { port: Number(port), key, connections }
    },
    async get(path, with_) {
      const headers = with_ === undefined ? {} : { authorization: `Bearer ${with_}` }
      return (await app.inject({ url: path, headers })).statusCode
    },
    inject: async (request) => (await app.inject({ method: "POST", ...request })).statusCode,
    async close() {
      callers.close()
      sessions.close()
      await app.close()
      for (const end of writers.ends) await end()
      await Promise.allSettled([index.close(), records.close()])
    },
  }
}
