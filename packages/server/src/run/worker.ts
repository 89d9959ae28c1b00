import type { NodeProgram } from "@assay/runtime/children"
import { join } from "node:path"
import { Registry } from "prom-client"
import { openCallerOf, openConsoleOrigin } from "../accounts/caller-of.ts"
import { openCallers } from "../accounts/callers.ts"
import { openCountingClock } from "../accounts/counting-clock.ts"
import { openLimits } from "../accounts/limits.ts"
import { openSessions } from "../accounts/sessions.ts"
import { openQuotaNews } from "../accounts/quota-news.ts"
import { openUsage } from "../accounts/usage.ts"
import { buildApp } from "./app.ts"
import type { Services } from "./services.ts"
import { type Environment, readConfig, shownSettings } from "../base/config.ts"
import { openEventNews } from "../events/event-news.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { completeReviews } from "../review/complete-reviews.ts"
import { noOtherNodes, openOtherNodes } from "../decisions/other-nodes.ts"
import { completePastDecisions } from "../decisions/past-decisions.ts"
import { openComparisons } from "../policy/comparisons.ts"
import { openRecorder } from "../decisions/recorder.ts"
import { openRequestTag } from "../decisions/request-tag.ts"
import { dropPageOf, sharesPort } from "@assay/drop/drop-config"
import { askDropAt } from "../inbox/ask-drop.ts"
import { RECIPIENTS_SOCKET } from "@assay/drop/sockets"
import { countRequests } from "../health/request-counts.ts"
import { watchIndex } from "../health/index-health.ts"
import { openMetrics } from "../base/metrics.ts"
import { openPressure } from "../health/pressure.ts"
import { checkHosts, thisMachine } from "../http/host-check.ts"
import { listenFault } from "@assay/runtime/listen-fault"
import { openObserve } from "../http/observe.ts"
import { listen } from "../http/listen.ts"
import { openStreams } from "../http/streams.ts"
import { openVisitorNetwork } from "../http/visitor-network.ts"
import { openProvider } from "../people/oidc/provider.ts"
import { peoplePort } from "../people/people.ts"
import { openMarkingServers } from "../score/email/lists/marking-servers.ts"
import { openLog } from "@assay/runtime/log"
import { openLists } from "../score/email/lists.ts"
import { MODEL_NAMES, openModels } from "../score/models.ts"
import { openNetworkTrust } from "../score/email/network/open-network-trust.ts"
import { openVelocityOfContext } from "../score/velocity.ts"
import { openSecrets } from "@assay/runtime/secrets"
import { openRecords, readDecisions, recordsAreShared } from "@assay/stores/open/open-database"
import { countsAreShared } from "@assay/stores/open/open-counters"
import { indexAt, openIndex } from "@assay/stores/open/open-index"
import { RecordsError } from "@assay/stores/records-error"
import { configuredProviders } from "../score/phone/provider-settings.ts"
import { openVelocityOfNumbers } from "../score/phone/number-velocity.ts"
import { signalsOff } from "../score/providers/phone-signals.ts"
import { openNotifyingCarriers } from "../notifications/notifying-carriers.ts"
import { BUDGET_MS } from "../score/providers/provider-limits.ts"
import { type ParentPipe, parentChannel } from "@assay/runtime/channels"
import { collectOnceQuiet } from "@assay/runtime/collect-garbage"
import { serversNoticed } from "./servers-noticed.ts"
import { connectionsMax, limitConnections } from "@assay/runtime/open-files"
import { reloadedLists } from "./reload-lists.ts"
import { offer, openCalls, remote, serve } from "@assay/runtime/rpc"
import { BEGIN, countersPort, primaryPort, signalsPort, workerPort } from "./ports.ts"
import { MINUTE_MS } from "@assay/runtime/time"
import { typedCommand } from "@assay/runtime/typed-command"
import { VERSION } from "../base/version.ts"
import { serviceChecks } from "./service-checks.ts"
import { warmUp } from "./warm-up.ts"

/**
 * A client that repeats refused requests at once gets at most ten a second on each connection,
 * which costs a timer. Answering as fast as it asks would cost others their turn.
 */
const REFUSAL_MS = 100

/** Time for the way to the thread that asks providers, and back, beside their budget. */
const WAY_MS = 50
/** Velocity is asked for while a caller waits: past this the answer goes without it. */
const VELOCITY_MS = 250
/** Callers wait for a shorter time; a later grant of the counters is still taken. */
const COUNTERS_MS = 30_000
/** With the workers of all nodes; of the free plan each lease is then one request. */
const SHARED_LEASES_A_SECOND = 10
const FLUSH_MS = 1000
const WRITE_MS = 30_000
/**
 * Somebody waits: for the metrics, or for a past decision still in the journals, which hold at most
 * one second.
 */
const SOON_MS = 5000

/**
 * Answers requests until the primary says stop. Opens every store for reading only; writes go
 * through the primary.
 */
export async function runWorker(
  env: Environment,
  parent: ParentPipe,
  exit: () => void,
  program: NodeProgram,
): Promise<void> {
  const channel = parentChannel(parent)
  await new Promise<void>((resolve) =>
    channel.onMessage((message) => {
      if (message === BEGIN) resolve()
    }),
  )
  const config = readConfig(env)
  const providers = configuredProviders(config)
  const log = openLog(config.logLevel)
  const within = openCalls(channel)
  const primary = remote(primaryPort, within(WRITE_MS))
  const soon = remote(primaryPort, within(SOON_MS))
  const now = Date.now
  const elapsed = (): number => performance.now()
  const directory = openDataDirectory(config.dataDirectory)
  const secrets = openSecrets(config.secretFile, false)
  const opened = await openIndex(config, { readOnly: true })
  await opened.checkKeyCheckValue(secrets.checkValue)
  const records = await openRecords(config, { readOnly: true, connections: 4 })
  const registry = new Registry()
  const requests = countRequests(openMetrics(registry, soon.gatherMetrics))
  const { metrics } = requests
  const { files: indexFiles } = indexAt(config)
  const { index, requireSound } = watchIndex(opened, indexFiles, registry, log)
  const callers = openCallers({
    accounts: records,
    now,
    elapsed,
    demoKeysAllowed: !config.production,
  })
  const sessions = openSessions({
    records,
    touch: remote(peoplePort, within(WRITE_MS)).touchSessions,
    now,
    elapsed,
    idleMs: config.sessionIdleMinutes * MINUTE_MS,
  })
  const consoleOrigin = openConsoleOrigin(config)
  const counters = {
    ...remote(countersPort, within(COUNTERS_MS)),
    velocity: remote(countersPort, within(VELOCITY_MS)).velocity,
  }
  const clockAnswers = remote(countersPort, within(SOON_MS))
  const countingClock = await openCountingClock({ counters: clockAnswers, now, elapsed })
  const limits = openLimits({
    counters,
    now: countingClock.now,
    elapsed,
    ...(countsAreShared(config) && { leasesASecond: SHARED_LEASES_A_SECOND }),
    onUnavailable: metrics.countLimitsUnavailable,
    onQuotaReached: openQuotaNews(primary.tellQuotaReached, now),
  })
  const usage = openUsage(primary, countingClock.now, log)
  const lists = openLists(directory.lists)
  const marking = openMarkingServers(directory.lists, now)
  const network = openNetworkTrust({
    config,
    metrics,
    learning: {
      marking,
      noticed: serversNoticed(lists, (sighting) => {
        // Not learnt this time: the same host will be seen again.
        soon.noticeServers(sighting).catch(() => undefined)
      }),
    },
  })
  const pressure = openPressure(config.shedDelayMs)
  const streams = openStreams()
  const decisions = openRecorder({
    mode: config.decisions,
    path: directory.journal,
    requestTag: openRequestTag(secrets.subkeys.request),
    log,
    onUnrecorded: metrics.countUnrecordedDecision,
  })
  const storedDecisions = await readDecisions(config, { connections: 2 })
  const signals =
    providers === null
      ? signalsOff
      : remote(signalsPort, within((providers.budget_ms ?? BUDGET_MS) + WAY_MS))
  const { foldDecisions: fold } = remote(
    primaryPort,
    within(SOON_MS),
    // A decision just made cannot be looked up now: that must not answer "not found".
    (cause) => new RecordsError("unavailable", "The newest decisions cannot be read", { cause }),
  )
  const others = recordsAreShared(config) ? openOtherNodes({ records }) : noOtherNodes
  const models = openModels(directory.models)
  const eventNews = openEventNews({ newest: () => records.newestEvent() })
  const services: Services = {
    config,
    log,
    now,
    countingNow: countingClock.now,
    secrets,
    index,
    lists,
    network,
    velocity: openVelocityOfContext({ counters, secrets, log, metrics }),
    numberVelocity: openVelocityOfNumbers({ counters, secrets, log, metrics }),
    signals,
    decisions,
    pastDecisions: completePastDecisions(storedDecisions, fold, others),
    otherNodes: others,
    models,
    callers,
    callerOf: openCallerOf({ callers, sessions, consoleOrigin }),
    people: records,
    consoleOrigin,
    visitorNetwork: openVisitorNetwork(config.trustedProxies),
    signInProvider: config.oidc === null ? null : openProvider(config.oidc, log, elapsed),
    limits,
    usage,
    metering: records,
    reviewRecords: completeReviews(records, fold, others.settled),
    viewRecords: records,
    watchRecords: records,
    eventRecords: records,
    eventNews,
    policyRecords: records,
    comparisons: openComparisons({
      place: { dataDirectory: config.dataDirectory, databaseUrl: config.databaseUrl },
      models: directory.models,
      fold,
      othersSettled: others.settled,
      log,
    }),
    keyRecords: records,
    webhookRecords: records,
    sharedSignalRecords: records,
    tenantRecords: records,
    carriers: openNotifyingCarriers(providers),
    askDrop: config.drop.on ? askDropAt(join(directory.drop, RECIPIENTS_SOCKET)) : null,
    dropPage: dropPageOf(config.drop),
    audit: primary.addAudit,
    trail: records,
    metrics,
    pressure,
    refusalMs: REFUSAL_MS,
    streams,
    program: { execPath: program.execPath, execArgv: program.execArgv },
    pingRecords: () => records.ping(),
    requireSoundIndex: requireSound,
    serviceLevels: soon.serviceLevels,
    errorBudget: soon.errorBudget,
    healthChecks: serviceChecks({
      config,
      directory,
      index,
      indexFiles,
      pingRecords: () => records.ping(),
      lists,
      metrics: metrics.text,
      now,
    }),
    aboutService: {
      version: VERSION,
      started_at: new Date(now()).toISOString(),
      workers: config.workers,
      models: MODEL_NAMES.map((name) => ({
        name,
        versions: models.loaded(name).map(({ model }) => model.version),
      })),
      settings: shownSettings(env),
    },
  }
  const app = await buildApp(services, (port) =>
    remote(port, within(port.answerMs), port.problemOf),
  )
  const sharing = sharesPort(config.drop) ? await import("@assay/drop/shared-port") : null
  // A request that is passed on has a connection to the drop besides its own.
  const limited = limitConnections(connectionsMax(sharing === null ? 1 : 2))
  const passOn = sharing?.passOn(directory.drop)
  const checked = checkHosts(
    config.production ? null : thisMachine(config.demoHosts),
    openObserve(log, metrics),
  )
  await warmUp(services)
  const listening = await listen(app, config.port, config.host, (server) => {
    limited(server)
    passOn?.(server)
    checked(server)
  }).catch(async (error: unknown) => {
    const fault = listenFault(error, "PORT")
    if (fault === null) throw error
    // The primary reports this once and ends; this process has nothing to add.
    await within(5000)("unable", fault)
    return null
  })
  if (listening === null) {
    exit()
    return
  }
  pressure.begin()
  collectOnceQuiet()

  const flush = async (leaving?: "leaving"): Promise<void> => {
    const counts = requests.take()
    await primary.countRequests(counts).catch((error: unknown) => {
      requests.putBack(counts)
      log.warn("requests could not be counted and are kept for the next try", { error })
    })
    await decisions.keep()
    await usage.flush()
    await sessions
      .flush()
      .catch((error: unknown) => log.warn("uses of sessions could not be noted", { error }))
    await limits
      .settle(leaving)
      .catch((error: unknown) => log.warn("unused requests could not be given back", { error }))
  }
  const flushing = setInterval(() => void flush(), FLUSH_MS)

  let stopping = false
  const stop = async (lingerMs?: number): Promise<void> => {
    if (stopping) return
    stopping = true
    const deadline = setTimeout(() => {
      log.warn("requests did not finish in time and were cut off")
      listening.cutOff()
    }, config.stopSeconds * 1000)
    streams.interruptAll()
    await listening.close(lingerMs)
    clearTimeout(deadline)
    clearInterval(flushing)
    callers.close()
    sessions.close()
    pressure.close()
    network.close()
    countingClock.close()
    await flush("leaving")
    await decisions.close()
    await Promise.all([index.close(), records.close(), storedDecisions.close()])
  }
  channel.onClose(() => void stop().finally(exit))
  serve(channel, {
    stop,
    ping: async () => undefined,
    ...offer(workerPort, {
      metrics: async () => await registry.getMetricsAsJSON(),
      reloadLists: async () => reloadedLists(lists),
      reloadLearnt: async () => marking.reload(),
      lookForEvents: async () => eventNews.look(),
    }),
  })
  await within(5000)("ready", { port: listening.port, addresses: listening.addresses })
  // From here on the primary notifies us of changed lists. Read now any that changed since we read
  // them.
  if (reloadedLists(lists) !== null)
    log.warn(`changed lists could not be taken over; ${typedCommand("doctor")} names the fault`)
}
