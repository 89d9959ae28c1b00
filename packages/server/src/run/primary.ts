import type { Cluster } from "node:cluster"
import { createServer, type Server } from "node:http"
import { hostname } from "node:os"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import type { ErrorBudget } from "@assay/core/contract"
import { keepHeads } from "../audit/keep-heads.ts"
import { keepLevels } from "../health/keep-levels.ts"
import { shareBudget } from "../health/share-budget.ts"
import { mintFirstKeys } from "../accounts/first-keys.ts"
import { logUnanswerable } from "./tenant-check.ts"
import { type Config, wrongSettings } from "../base/config.ts"
import { keepCatalogue } from "@assay/corpus/kept-catalogue"
import { loadDemoCorpus, writeDemoLists } from "../demo/demo.ts"
import {
  type DataDirectory,
  lockDataDirectory,
  lockImports,
  openDataDirectory,
} from "@assay/runtime/data-directory"
import { deleteSetAside } from "../decisions/journal-files.ts"
import { noOtherNodes, openOtherNodes } from "../decisions/other-nodes.ts"
import { knownIdentities } from "../decisions/known-identities.ts"
import { listenFault } from "@assay/runtime/listen-fault"
import type { Log } from "@assay/runtime/log"
import { type Models, openModels } from "../score/models.ts"
import { openSecrets, type Secrets } from "@assay/runtime/secrets"
import { readIndexFacts } from "@assay/stores/lmdb/index-facts"
import { recordsAreShared } from "@assay/stores/open/open-database"
import { indexAt } from "@assay/stores/open/open-index"
import type { Records } from "@assay/stores/records"
import { firstLinkToken } from "../people/first-link.ts"
import { reviewsPort } from "../review/reviews.ts"
import { importsPort } from "../imports/imports.ts"
import type { SinkSettings } from "../sinks/kinds.ts"
import { subjectsPort } from "../subjects/subjects.ts"
import { syncTombstones } from "../subjects/sync-tombstones.ts"
import { openTombstones } from "../subjects/tombstone-file.ts"
import { configuredProviders } from "../score/phone/provider-settings.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import { MICROS } from "@assay/stores/micros"
import { openSpendingLedger } from "../score/providers/spending-ledger.ts"
import { oneAtATime } from "@assay/runtime/one-at-a-time"
import { HOUR_MS, MINUTE_MS } from "@assay/runtime/time"
import { openMail } from "../base/mail.ts"
import { VERSION } from "../base/version.ts"
import { type CommandProgram, startSpokenCommand } from "@assay/runtime/children"
import { collectOnceQuiet } from "@assay/runtime/collect-garbage"
import { openControlSocket } from "@assay/runtime/control-socket"
import { forgetEverywhere } from "./forget-everywhere.ts"
import { keepCounters } from "./keep-counters.ts"
import { keepDecisions } from "./decision-keeping.ts"
import { keepSetAside } from "./keep-set-aside.ts"
import { IMPORT_LEASE } from "../base/import-lease.ts"
import { nodeIdIn } from "./node-id.ts"
import { openNode, unlessFirst } from "./open-node.ts"
import { digestEvent } from "./digest-event.ts"
import { type DropAddress, type DropChild, type Program, startDrop } from "./drop-child.ts"
import { everyStep } from "./every-step.ts"
import { keepCompacted, startCompaction } from "./keep-compacted.ts"
import { keepVerified, startVerify } from "./keep-verified.ts"
import { openDeliveriesThread } from "./open-deliveries-thread.ts"
import { noSinks, type SinksThread } from "./no-sinks.ts"
import { openProvidersThread, type ProvidersThread } from "./open-providers-thread.ts"
import {
  countersPort,
  openRecordsPort,
  primaryPort,
  type SegmentsPort,
  signalsPort,
} from "./ports.ts"
import { openDecisionsWriter, openRecordsWriter } from "./store-writers.ts"
import { keepLearnt } from "./keep-learnt.ts"
import { describeService } from "./running-service.ts"
import { reloadLists } from "./reload-lists.ts"
import { type Methods, offer } from "@assay/runtime/rpc"
import {
  forkWorker,
  startWorkers,
  type WorkerAddress,
  type WorkerProcess,
  type Workers,
} from "./workers.ts"
import { openWriters } from "./writers.ts"
import { Explained } from "@assay/runtime/explained"
import { WORKER_YOUNG_SPACE } from "./young-space.ts"

export interface Service {
  readonly address: WorkerAddress
  /** null: the drop is off. */
  readonly drop: DropAddress | null
  /** Printed by the demo; null in production. */
  readonly demoKey: string | null
  /** Of the link for the first administrator; null where somebody is there, or nobody may be. */
  readonly firstLink: string | null
  restart(): Promise<void>
  stop(): Promise<void>
}

const WORKER_PROGRAM = fileURLToPath(
  new URL(`./worker-process${extname(import.meta.filename)}`, import.meta.url),
)

/**
 * The process that owns everything written: it holds the directory's lock, the one writer of the
 * records and the counters, and keeps the workers running, which only read.
 */
export async function startService(
  config: Config,
  log: Log,
  cluster: Cluster,
  program: Program,
): Promise<Service> {
  const providers = configuredProviders(config)
  const sinks = await readSinks(config)
  const directory = openDataDirectory(config.dataDirectory)
  if (config.production && directory.demo) {
    throw wrongSettings(
      "ASSAY_DATA names a directory with demo data, which production must not serve",
    )
  }
  const lock = lockDataDirectory(directory.path)
  if (lock === null)
    throw new Explained("data-directory", `Another Assay is already running on ${directory.path}`)
  const secrets = openSecrets(config.secretFile, config.secretMayBeMade)
  // Workers read the models themselves. Reading them here first reports an unusable document before
  // any worker starts.
  const models = openModels(directory.models)
  cluster.setupPrimary({
    exec: WORKER_PROGRAM,
    args: [],
    execArgv: [WORKER_YOUNG_SPACE, ...program.execArgv],
    serialization: "advanced",
  })
  // They load their program while the stores are opened here.
  const forked = Array.from({ length: config.workers }, () => forkWorker(cluster))
  const given = {
    config,
    log,
    cluster,
    program,
    providers,
    sinks,
    directory,
    lock,
    secrets,
    models,
    forked,
  }
  try {
    return await openService(given)
  } catch (error) {
    // Those that wait: one that only now finds that nobody is there would print that.
    await Promise.all(forked.map(({ started }) => started.kill()))
    throw error
  }
}

interface Given {
  readonly config: Config
  readonly log: Log
  readonly cluster: Cluster
  readonly program: Program
  readonly providers: ProviderSettings | null
  readonly sinks: SinkSettings | null
  readonly directory: DataDirectory
  readonly lock: { release(): void }
  readonly secrets: Secrets
  readonly models: Models
  readonly forked: WorkerProcess[]
}

async function openService(given: Given): Promise<Service> {
  // Until the service runs nobody waits for events.
  let tellEvents = (): void => undefined
  const { config, log, cluster, program, directory, lock, secrets, models, forked } = given
  const { dataDirectory, databaseUrl } = config
  const { files: indexFiles, open: openIndex } = indexAt(config)
  const [index, records] = await Promise.all([
    openIndex({ readOnly: false }),
    openRecordsWriter(
      { dataDirectory, databaseUrl, auditKey: secrets.subkeys.audit },
      { onEvents: () => tellEvents() },
    ),
  ])
  await index.checkKeyCheckValue(secrets.checkValue)
  await records.checkKeyCheckValue(secrets.checkValue)
  const tombstones = await openTombstones(config.tombstonesFile, secrets.checkValue)
  const erasedAgain = await syncTombstones(records, tombstones)
  if (erasedAgain > 0)
    log.warn("people whom the records did not know as erased are erased again", {
      count: erasedAgain,
    })
  directory.markIndexed()
  await keepCatalogue(await index.catalogue(), directory.path)
  await logUnanswerable(records, models, log)
  if (!config.production) {
    directory.markDemo()
    writeDemoLists(directory.lists)
    await loadDemoCorpus(index, secrets, Date.now())
  }
  const demoKey = await unlessFirst(() => mintFirstKeys(records, config, secrets, Date.now()))
  const peopleMaySignIn = !config.production || config.consoleOrigin !== null
  const firstLink = peopleMaySignIn ? await firstLinkToken(records, Date.now()) : null

  const counted = await keepCounters(config, {
    records,
    directory: directory.context,
    now: Date.now,
    elapsed: () => performance.now(),
    log,
  })

  const providers = given.providers && (await openProviders(given.providers, records, log))
  const forgetting = providers && (await forgetEverywhere(config, providers, log))

  const deliveries = openDeliveriesThread({
    data: {
      ...config.webhooks,
      dns: config.dns,
      ssfOrigin: config.ssfOrigin,
      subkeys: secrets.subkeys,
    },
    outbox: records,
    log,
  })

  const sinks = given.sinks === null ? noSinks : await openSinks(given.sinks, given, records)

  // Before the others are told that it is there.
  const segmentsThread = await openSegments(config, secrets, directory)
  const node = await openNode({ config, records, directory: directory.path, log })
  const decisionsWriter = openDecisionsWriter({
    place: { dataDirectory, databaseUrl },
    journal: directory.journal,
    models: directory.models,
    reviewDays: config.reviewDays,
    onFolded: knownIdentities(index),
    addQueued: (text) => records.addQueued(text),
    moveFailed(code) {
      const said = "decisions of an older version were not moved and stay where they are"
      log.warn(said, { error: new Explained(code, said) })
    },
  })
  const decisions = await keepDecisions({
    writer: decisionsWriter,
    days: config.decisionDays,
    noting: node.noting,
    turns: node.turns,
    log,
    now: Date.now,
  })

  // An index of its own has none of another node's batches.
  const hasOthers = !node.turns.alone && indexFiles === null
  const segments = !hasOthers
    ? null
    : (await import("./keep-segments.ts")).keepSegments({
        ...{ index, records, directory, log },
        id: nodeIdIn(directory.path),
        thread: segmentsThread,
        now: Date.now,
      })

  const setAside = node.turns.alone
    ? null
    : keepSetAside({
        journal: directory.journal,
        records,
        days: config.decisionDays,
        now: Date.now,
        log,
      })

  const { promise: running, resolve: nowRunning } = Promise.withResolvers<Workers>()
  let reloads = 0
  const reloadEverywhere = async (): ReturnType<typeof reloadLists> => {
    const reloaded = await reloadLists(await running)
    reloads++
    return reloaded
  }
  const others = recordsAreShared(config) ? openOtherNodes({ records }) : noOtherNodes
  const command = (): CommandProgram => ({ exec: program.argv[1], execArgv: program.execArgv })
  const writers = await openWriters(
    {
      records,
      index,
      decisions: decisionsWriter,
      async fold() {
        await decisions.fold()
        await others.settled()
      },
      deleteSetAside() {
        const count = deleteSetAside(directory.journal)
        if (count > 0) log.warn("an erasure deleted damaged journal files", { count })
      },
      tombstones,
      forgetSignals: async (key) => await forgetting?.forget(key),
      secrets,
      sessions: {
        idleMs: config.sessionIdleMinutes * MINUTE_MS,
        lifeMs: config.sessionHours * HOUR_MS,
      },
      signUp: {
        mode: config.signUp,
        sendMail: config.mail === null ? null : openMail(config.mail, log),
      },
      importRunner: {
        nodeId: recordsAreShared(config) ? nodeIdIn(directory.path) : null,
        socketPath: directory.uploadSocket,
        statesPath: directory.importStates,
        isImporting() {
          const turn = lockImports(directory.path)
          turn?.release()
          return turn === null
        },
        async isImportingAnywhere() {
          if (this.isImporting()) return true
          // One of this node would be seen above: what it seems to hold is of one that was killed.
          const others = (await records.leases()).filter(({ name }) => name === IMPORT_LEASE)
          return others.some(({ holder }) => holder !== nodeIdIn(directory.path))
        },
        start: (stdin) => startSpokenCommand(command(), ["corpus", "take"], stdin),
        now: Date.now,
        elapsed: () => performance.now(),
      },
      lists: { directory: directory.lists, reload: reloadEverywhere, reloads: () => reloads },
      directories: { models: directory.models, segments: directory.segments },
      deliveries,
      sinks,
      ssfOrigin: config.ssfOrigin,
      now: node.now,
      turns: node.turns,
      reviewDays: config.reviewDays,
    },
    log,
  )

  if (config.drop.wanted && !config.drop.on)
    log.warn("drop is off: in production it takes DROP_PORT or DROP_ORIGIN")
  const { promise: dropRunning, resolve: dropNowRunning } =
    Promise.withResolvers<DropChild | null>()
  const heads = await keepHeads({
    records,
    key: secrets.subkeys.audit,
    file: config.auditHeadsFile,
    syslog: config.auditSyslog,
    days: config.auditDays,
    host: hostname(),
    now: Date.now,
    turns: node.turns,
    log,
  })
  const learnt = keepLearnt({
    directory: directory.lists,
    now: Date.now,
    notifyWorkers: async () => await (await running).callAll((worker) => worker.reloadLearnt()),
    log,
  })
  const levels = keepLevels({
    file: directory.levels,
    now: Date.now,
    elapsed: () => performance.now(),
    log,
  })
  const shared = node.turns.alone
    ? null
    : shareBudget({
        own: levels.kept,
        records,
        nodeId: nodeIdIn(directory.path),
        now: Date.now,
        log,
      })
  const errorBudget = async (month?: string): Promise<ErrorBudget> =>
    (await shared?.budget(month)) ?? levels.budget(month)
  const control = await openControlSocket(directory.controlSocket, {
    ...offer(openRecordsPort, records),
    ...offer(subjectsPort, writers.get(subjectsPort)),
    ...offer(reviewsPort, writers.get(reviewsPort)),
    // Asked for while the service starts, it waits: a worker may have read the lists before they
    // changed.
    reloadLists: reloadEverywhere,
    learntServers: async () => learnt.all(),
    overruleServer: learnt.overrule,
    errorBudget,
    describe: async () => describeService(config, (await running).address),
    reloadDropKeys: async () => await (await dropRunning)?.reloadKeys(),
  })
  let compacting: ReturnType<typeof keepCompacted> | null = null
  const gatherMetrics = async (): Promise<string> => {
    // Loaded when first asked for: workers count for themselves, and not every start is scraped.
    const { gatheredMetrics } = await import("../base/metrics.ts")
    const reports = await workers.callAll((worker) => worker.metrics())
    const ofThreads = await Promise.all([
      providers?.metrics(),
      deliveries.metrics(),
      sinks.metrics(),
      node.metrics(segments?.lacking() ?? null),
    ])
    const { importMetrics } = await import("../imports/import-metrics.ts")
    const ofImports = await importMetrics(await writers.get(importsPort).counts())
    const { sloMetrics } = await import("../health/slo-metrics.ts")
    const { compactionMetrics } = await import("./compaction-metrics.ts")
    return await gatheredMetrics([
      ...reports,
      // Each report is a list of its own.
      ...ofThreads.filter((report) => report != null),
      ofImports,
      await sloMetrics(levels.counted(), levels.budget()),
      ...(indexFiles === null ? [] : [await compactionMetrics(compacting?.state() ?? null)]),
    ])
  }
  const methods: Methods = {
    ...offer(primaryPort, {
      addUsage: records.addUsage,
      addAudit: records.addAudit,
      tellQuotaReached: records.tellQuotaReached,
      noticeServers: async (sighting) => learnt.notice(sighting),
      gatherMetrics,
      foldDecisions: decisions.fold,
      countRequests: async (counts) => levels.add(counts),
      serviceLevels: async (period) => levels.levels(period),
      errorBudget,
    }),
    ...writers.methods,
    ...(providers && offer(signalsPort, providers)),
  }
  const [workers, drop] = await bothStarted(
    startWorkers(
      cluster,
      forked,
      {
        methods: (worker) => ({ ...methods, ...offer(countersPort, counted.of(worker)) }),
        onGone: counted.forgetWorker,
      },
      { stopMs: config.stopSeconds * 1000, silentMs: config.silentSeconds * 1000 },
      log,
    ),
    config.drop.on
      ? startDrop({
          program,
          settings: {
            drop: config.drop,
            host: config.host,
            folder: directory.drop,
            stopSeconds: config.stopSeconds,
            logLevel: config.logLevel,
            version: VERSION,
          },
          stopMs: config.stopSeconds * 1000,
          silentMs: config.silentSeconds * 1000,
          tellDigest: (digest) => records.setDropDigest(digestEvent(digest)),
          log,
        })
      : Promise.resolve(null),
  )
  nowRunning(workers)
  const lookForEvents = oneAtATime(async () => {
    await Promise.allSettled([
      deliveries.look(),
      sinks.look(),
      workers.callAll((worker) => worker.lookForEvents()),
    ])
  })
  tellEvents = () => void lookForEvents()
  dropNowRunning(drop)
  if (drop !== null)
    log.info("drop ready", drop.address.port === null ? {} : { port: drop.address.port })
  // An index elsewhere than in files has none that grows.
  compacting =
    indexFiles === null
      ? null
      : keepCompacted({
          facts: () => readIndexFacts(indexFiles),
          start: () => startCompaction(command()),
          now: Date.now,
          elapsed: () => performance.now(),
          log,
        })
  const endVerifying =
    indexFiles === null || config.indexVerifyHours === 0
      ? async () => undefined
      : keepVerified({
          index: indexFiles,
          everyMs: config.indexVerifyHours * HOUR_MS,
          start: () => startVerify(command(), ["--index", "--slowly"], "ignore"),
          now: Date.now,
          log,
        })
  const metricsServer =
    config.metricsPort === null
      ? null
      : await serveMetrics(config.metricsPort, config.host, gatherMetrics)
  levels.begin()
  collectOnceQuiet()
  log.info("ready", {
    port: workers.address.port,
    address: workers.address.addresses.join(" "),
    workers: config.workers,
  })

  return {
    address: workers.address,
    drop: drop?.address ?? null,
    demoKey,
    firstLink,
    restart: () => workers.restart(),
    stop: () =>
      everyStep(
        [
          () => metricsServer?.close(),
          () => workers.stop(),
          () => levels.stop(),
          () => shared?.stop(),
          () => drop?.stop(),
          ...writers.ends,
          () => compacting?.stop(),
          endVerifying,
          () => deliveries.close(),
          () => sinks.close(),
          () => forgetting?.close(),
          () => providers?.close(),
          () => control.close(),
          () => learnt.close(),
          () => counted.close(),
          () => segments?.stop(),
          () => setAside?.stop(),
          () => decisions.stop(),
          () => node.leave(),
          () => heads.stop(),
          () => records.close(),
          () => index.close(),
          () => lock.release(),
          () => log.info("stopped"),
        ],
        (error) => log.error("a step of the stop failed", { error }),
      ),
  }
}

interface Stoppable {
  stop(): Promise<void>
}

/** Both, once they run. If one cannot start, the other is stopped. */
async function bothStarted<A extends Stoppable, B extends Stoppable | null>(
  one: Promise<A>,
  other: Promise<B>,
): Promise<[A, B]> {
  try {
    return await Promise.all([one, other])
  } catch (error) {
    for (const result of await Promise.allSettled([one, other]))
      if (result.status === "fulfilled") await result.value?.stop()
    throw error
  }
}

/** The thread that asks about phone numbers, which pays from the records. */
async function openProviders(
  settings: ProviderSettings,
  records: Records,
  log: Log,
): Promise<ProvidersThread> {
  const totalCapMicros = Math.round(settings.daily_cap * MICROS)
  const spending = openSpendingLedger({ records, totalCapMicros, now: Date.now })
  return await openProvidersThread({ settings, spending, log })
}

/** Who gets every event. Loaded where there is anybody: what few have must not slow every start. */
async function readSinks(config: Config): Promise<SinkSettings | null> {
  if (config.sinksFile === null) return null
  const { configuredSinks } = await import("../sinks/sink-settings.ts")
  return configuredSinks(config.sinksFile)
}

async function openSinks(
  settings: SinkSettings,
  { config, secrets, log }: Given,
  records: Records,
): Promise<SinksThread> {
  const { openSinksThread } = await import("./open-sinks-thread.ts")
  const alone = !recordsAreShared(config)
  return await openSinksThread({ settings, alone, subkeys: secrets.subkeys }, records, log)
}

/** Where other nodes get segments. Loaded where there are other nodes. */
async function openSegments(
  { nodePort: port, host }: Config,
  { subkeys }: Secrets,
  { segments }: DataDirectory,
): Promise<SegmentsPort | null> {
  if (port === null) return null
  const { openSegmentsThread } = await import("./open-segments-thread.ts")
  return await openSegmentsThread({ host: host ?? "127.0.0.1", port, key: subkeys.nodes, segments })
}

async function serveMetrics(
  port: number,
  host: string | null,
  text: () => Promise<string>,
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics")
      return void response.writeHead(404).end()
    text().then(
      (body) =>
        void response
          .writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" })
          .end(body),
      () => void response.writeHead(503).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const fault = listenFault(error, "ASSAY_METRICS_PORT")
      reject(fault === null ? error : new Explained("start", fault))
    })
    server.listen(port, host ?? "127.0.0.1", resolve)
  })
  return server
}
