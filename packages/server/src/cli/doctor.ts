import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Config, readConfig } from "../base/config.ts"
import { readVerification } from "@assay/stores/lmdb/verification"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { filesSetAside } from "../decisions/journal-files.ts"
import { openLists } from "../score/email/lists.ts"
import { MODEL_NAMES, openModels } from "../score/models.ts"
import type { NameServers } from "../base/name-servers.ts"
import { openNameService } from "../score/email/network/name-service.ts"
import { openRegistry } from "../score/email/network/registration.ts"
import { askRunningService, type RunningService } from "../run/running-service.ts"
import { diskFound, listsFound } from "../run/service-checks.ts"
import { openSecrets } from "@assay/runtime/secrets"
import { CHECKED_FORMAT } from "@assay/stores/exposure-index"
import { databaseAt } from "@assay/stores/open/open-database"
import { indexAt, openIndex } from "@assay/stores/open/open-index"
import { configuredProviders } from "../score/phone/provider-settings.ts"
import { checkProviders, openProviders } from "../score/phone/providers.ts"
import { dayOf } from "@assay/runtime/time"
import { VERSION } from "../base/version.ts"
import { withRecords } from "./records-access.ts"
import { CommandError, type Terminal } from "./terminal.ts"
import { typedCommand } from "@assay/runtime/typed-command"

type Finding = readonly [state: "ok" | "warning" | "fault", text: string]

const SAMPLED = 2000
/** Assay did not exist before; a clock that is behind would date evidence wrongly. */
const CLOCK_EARLIEST = Date.UTC(2026, 0, 1)

/**
 * Looks at what usually goes wrong and says so in one line each. Fails if there is a fault; changes
 * nothing.
 */
export async function runDoctor(terminal: Terminal): Promise<void> {
  const own = readConfig(terminal.env)
  if (!existsSync(join(own.dataDirectory, "format.json"))) {
    throw new CommandError(`No service was ever started on ${own.dataDirectory}`)
  }
  const running = await askRunningService(own)
  const config = running?.config ?? own
  let faults = 0
  const all: Checks = { service: async () => await serviceFinding(running), ...checks }
  for (const [name, check] of Object.entries(all)) {
    const [state, text] = await check(config, terminal).catch((error: unknown): Finding => [
      "fault",
      (error as Error).message,
    ])
    if (state === "fault") faults++
    terminal.print(`${state.padEnd(8)} ${name.padEnd(9)} ${text}`)
  }
  if (faults > 0) throw new CommandError(`${faults} ${faults === 1 ? "check" : "checks"} failed`)
}

type Checks = Readonly<Record<string, (config: Config, terminal: Terminal) => Promise<Finding>>>

const checks: Checks = {
  async key(config) {
    const secrets = openSecrets(config.secretFile, false)
    openDataDirectory(config.dataDirectory)
    const index = await openIndex(config, { readOnly: true })
    await index.checkKeyCheckValue(secrets.checkValue).finally(() => index.close())
    return ["ok", "the master secret fits the index"]
  },
  async records(config) {
    await withRecords(config, async (records) => {
      await records.checkKeyCheckValue(openSecrets(config.secretFile, false).checkValue)
      await records.ping()
    })
    return ["ok", `the master secret fits the records in ${databaseAt(config).name}`]
  },
  async disk(config) {
    const { state, detail } = diskFound(config.dataDirectory)
    return [state, detail]
  },
  async clock(_config, { now }) {
    if (now() < CLOCK_EARLIEST) return ["fault", `the clock says ${dayOf(now())}`]
    return ["ok", new Date(now()).toISOString()]
  },
  async lists(config, { now }) {
    const lists = openLists(openDataDirectory(config.dataDirectory).lists)
    const { state, detail } = listsFound(lists, now())
    return [state, detail]
  },
  async models(config) {
    const models = openModels(openDataDirectory(config.dataDirectory).models)
    const versions = MODEL_NAMES.map((name) => {
      const loaded = models.loaded(name).map(({ model }) => model.version)
      return `${name} ${loaded.join(", ")}`
    })
    return ["ok", versions.join("; ")]
  },
  async index(config) {
    openDataDirectory(config.dataDirectory)
    const { files, open, advice: adviceOf } = indexAt(config)
    const index = await open({ readOnly: true })
    try {
      const { identities, bytes, format } = await index.stats()
      const { read, faults } = await index.sample(SAMPLED)
      if (faults > 0) return ["fault", `${faults} of ${read} sampled identities cannot be read`]
      const verification = files === null ? null : readVerification(files)
      if (verification !== null && verification.faults.length > 0) {
        return [
          "fault",
          `read through at ${timeOf(verification)}: ${verification.faults.join("; ")}`,
        ]
      }
      const advice = [...(await adviceOf())]
      if (format < CHECKED_FORMAT) advice.push(`format ${format} has no checksums: ${SEALING}`)
      if (advice.length > 0) return ["warning", advice.join("; ")]
      const verified = verification === null ? "" : `, read through at ${timeOf(verification)}`
      return [
        "ok",
        `format ${format}, ${identities} identities, ${bytes} bytes, ${read} sampled and readable${verified}`,
      ]
    } finally {
      await index.close()
    }
  },
  async journal({ dataDirectory }) {
    const { journal } = openDataDirectory(dataDirectory)
    const aside = filesSetAside(journal)
    if (aside.length === 0) return ["ok", "no damaged journal of decisions"]
    const those = aside.length === 1 ? "1 damaged file" : `${aside.length} damaged files`
    return [
      "warning",
      `${those} of the journal of decisions set aside in ${join(journal, "damaged")}: what could be read is in the store, the rest is lost and cannot be searched for a person; the next erasure deletes them, or delete them once you have looked`,
    ]
  },
  async network({ dns, rdapUrl, rdapRedirects }) {
    if (dns === null && rdapUrl === null) return ["ok", "look-ups over the network are off"]
    const silent = [
      ...(dns === null || (await nameServersAnswer(dns)) ? [] : ["ASSAY_DNS"]),
      ...(rdapUrl === null || (await registryAnswers(rdapUrl, rdapRedirects))
        ? []
        : ["ASSAY_RDAP_URL"]),
    ]
    if (silent.length > 0) return ["fault", `no usable answer from ${silent.join(" and ")}`]
    return ["ok", "the configured providers answer"]
  },
  async providers(config, { now }) {
    const settings = configuredProviders(config)
    const providers = settings === null ? [] : openProviders(settings, now)
    if (providers.length === 0) return ["ok", "nobody is asked about phone numbers"]
    const checks = await checkProviders(providers)
    const faults = checks.filter(({ fault }) => fault !== null)
    if (faults.length > 0)
      return ["fault", faults.map(({ id, fault }) => `${id}: ${fault}`).join("; ")]
    return ["ok", `${checks.map(({ id }) => id).join(", ")} take our credentials`]
  },
  async drop({ drop, dataDirectory }) {
    if (!drop.on) return ["ok", "the anonymous drop is off"]
    const { readKeysFile } = await import("@assay/drop/keys-file")
    const { diskRoom, FILES_NEED_SHARE } = await import("@assay/drop/budgets")
    const recipients = readKeysFile(openDataDirectory(dataDirectory).drop)
    if (recipients === null)
      return [
        "warning",
        `no message is taken before there is a key; see ${typedCommand("drop keys add")}`,
      ]
    const { keys, suite } = recipients
    const { freeShare } = await diskRoom(dataDirectory)
    const sealedTo = `messages are sealed to ${keys.length} ${keys.length === 1 ? "key" : "keys"} (${suite})`
    const free = `${Math.floor(freeShare * 100)} % of its disk is free`
    if (freeShare < FILES_NEED_SHARE) return ["warning", `${sealedTo}; no files are taken: ${free}`]
    return ["ok", `${sealedTo}, ${free}`]
  },
}

const ANSWER_MS = 10_000

/** Whether the running service answers on its address. The other checks read its settings only. */
async function serviceFinding(running: RunningService | null): Promise<Finding> {
  if (running === null)
    return ["ok", "none runs on this directory; the checks go by the settings of this shell"]
  const { version, address } = running
  const [first = "127.0.0.1"] = address.addresses
  const host = first === "0.0.0.0" || first === "::" ? "127.0.0.1" : first
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${address.port}/readyz`
  const status = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    (response) => response.status,
    () => null,
  )
  if (status === null) return ["fault", `it runs, but ${url} does not answer`]
  if (status !== 200) return ["fault", `it runs, but is not ready: ${url} answers ${status}`]
  const text = `version ${version} is ready on port ${address.port}; the checks go by its settings`
  if (version === VERSION) return ["ok", text]
  return ["warning", `${text}, and this command is version ${VERSION}`]
}

/** How values without checksums get them: a cluster has no file to write anew. */
const SEALING = `an index in files gets them by ${typedCommand("corpus compact")}, one in a cluster when it is made again`

function timeOf({ at }: { readonly at: number }): string {
  return new Date(at).toISOString()
}

/** Asks for the name servers of the root, which names nobody and which every resolver knows. */
async function nameServersAnswer(servers: NameServers): Promise<boolean> {
  const names = openNameService(servers)
  return await names.ns(".").then(
    (found) => found !== null && found.length > 0,
    () => false,
  )
}

async function registryAnswers(url: string, redirectsAbroad: boolean): Promise<boolean> {
  return await openRegistry({ url, redirectsAbroad })
    .ping()
    .then(
      () => true,
      () => false,
    )
}
