import { Registry } from "prom-client"
import { openCallers } from "../accounts/callers.ts"
import { openLimits } from "../accounts/limits.ts"
import { openUsage } from "../accounts/usage.ts"
import { buildApp } from "../app.ts"
import { type Environment, readConfig } from "../config.ts"
import { openDataDirectory } from "../data-directory.ts"
import { completePastDecisions } from "../decisions/past-decisions.ts"
import { openRecorder } from "../decisions/recorder.ts"
import { openMetrics } from "../health/metrics.ts"
import { openPressure } from "../health/pressure.ts"
import { listen } from "../http/listen.ts"
import { openLog } from "../log.ts"
import { openLists } from "../score/lists.ts"
import { currentModels } from "../score/models.ts"
import { networkTrustOff } from "../score/network-trust.ts"
import { openSecrets } from "../secrets.ts"
import type { Counters } from "../stores/counters.ts"
import { openLmdbIndex } from "../stores/lmdb/exposure-index.ts"
import { openPostgresDecisions } from "../stores/postgres/decisions.ts"
import { openPostgresRecords } from "../stores/postgres/records.ts"
import { RecordsError } from "../stores/records-error.ts"
import { readSqliteDecisions } from "../stores/sqlite/decisions.ts"
import { openSqliteRecords } from "../stores/sqlite/records.ts"
import { type ParentPipe, parentChannel } from "./channels.ts"
import { answerCalls, type Call, openCalls } from "./rpc.ts"

/** A limit is asked for while a caller waits: past this the request goes through. */
const COUNTERS_MS = 250
const FLUSH_MS = 1000
/** Somebody waits for one past decision; what others left in the journals is at most a second's. */
const FOLD_MS = 5000

/** Answers requests until the primary says stop. Opens every store for reading only; writes go through the primary. */
export async function runWorker(
  env: Environment,
  parent: ParentPipe,
  exit: () => void,
): Promise<void> {
  const config = readConfig(env)
  const log = openLog(config.logLevel)
  const channel = parentChannel(parent)
  const within = openCalls(channel)
  const now = Date.now
  const directory = openDataDirectory(config.dataDirectory)
  const secrets = openSecrets(config.secretFile, false)
  const index = await openLmdbIndex({ path: directory.index, readOnly: true })
  await index.checkKeyCheckValue(secrets.checkValue)
  const records =
    config.databaseUrl === null
      ? await openSqliteRecords({ file: directory.records, readOnly: true })
      : await openPostgresRecords({ url: config.databaseUrl, poolMax: 4 })
  const registry = new Registry()
  const metrics = openMetrics(registry, async () => (await within(5000)("gatherMetrics")) as string)
  const callers = openCallers({ accounts: records, now, demoKeysAllowed: !config.production })
  const limits = openLimits({
    counters: countersOver(within(COUNTERS_MS)),
    now,
    log,
    onFailOpen: metrics.countLimitsFailOpen,
  })
  const usage = openUsage(
    {
      addUsage: async (rows) => {
        await within(30_000)("addUsage", rows)
      },
    },
    now,
    log,
  )
  const lists = openLists(directory.lists)
  const pressure = openPressure(config.shedDelayMs)
  const decisions = openRecorder({
    mode: config.decisions,
    path: directory.journal,
    log,
    onUnrecorded: metrics.countUnrecordedDecision,
  })
  const storedDecisions =
    config.databaseUrl === null
      ? readSqliteDecisions(directory.decisions)
      : await openPostgresDecisions({ url: config.databaseUrl, poolMax: 2 })
  const app = await buildApp({
    config,
    log,
    now,
    secrets,
    index,
    lists,
    network: networkTrustOff,
    decisions,
    pastDecisions: completePastDecisions(storedDecisions, foldingOver(within(FOLD_MS))),
    models: currentModels,
    callers,
    limits,
    usage,
    metrics,
    pressure,
    pingRecords: () => records.ping(),
  })
  const listening = await listen(app, config.port, config.host)

  const flush = async (leaving?: "leaving"): Promise<void> => {
    await decisions.keep()
    await usage.flush()
    await limits
      .settle(leaving)
      .catch((error: unknown) => log.warn("unused requests could not be given back", { error }))
  }
  const flushing = setInterval(() => void flush(), FLUSH_MS)

  let stopping = false
  const stop = async (): Promise<void> => {
    if (stopping) return
    stopping = true
    const deadline = setTimeout(() => {
      log.warn("requests did not finish in time and were cut off")
      listening.cutOff()
    }, config.stopSeconds * 1000)
    await listening.close()
    clearTimeout(deadline)
    clearInterval(flushing)
    callers.close()
    pressure.close()
    await flush("leaving")
    await decisions.close()
    await Promise.all([index.close(), records.close(), storedDecisions.close()])
  }
  channel.onClose(() => void stop().finally(exit))
  answerCalls(channel, {
    stop,
    metrics: async () => await registry.getMetricsAsJSON(),
  })
  await within(5000)("ready", { port: listening.port, addresses: listening.addresses })
}

/** Without the primary a decision just made cannot be looked for: that is no "not found". */
function foldingOver(call: Call): () => Promise<void> {
  return async () => {
    try {
      await call("foldDecisions")
    } catch (error) {
      throw new RecordsError("unavailable", "The newest decisions cannot be read", { cause: error })
    }
  }
}

function countersOver(call: Call): Counters {
  return {
    lease: async (...args) =>
      (await call("lease", ...args)) as Awaited<ReturnType<Counters["lease"]>>,
    async giveBack(...args) {
      await call("giveBack", ...args)
    },
    admitIdentity: async (...args) => (await call("admitIdentity", ...args)) as boolean,
  }
}
