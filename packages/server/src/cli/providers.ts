import { readConfig } from "../base/config.ts"
import { configuredProviders } from "../score/phone/provider-settings.ts"
import { checkProviders, openProviders, type ProviderSettings } from "../score/phone/providers.ts"
import { isExplained } from "@assay/runtime/explained"
import { MICROS } from "@assay/stores/micros"
import type { PhoneSignalProvider, SignalName } from "../score/providers/signals.ts"
import { monthOf } from "@assay/runtime/time"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/**
 * Prints whom the settings name, for which numbers and signals, and the most a call can cost. Asks
 * nobody.
 */
export function listProviders({ json }: { json?: boolean }, terminal: Terminal): void {
  const { settings, providers } = configured(terminal)
  const { daily_cap, tenant_daily_cap } = settings
  const offers = providers.map(offerOf)
  if (json === true) {
    terminal.print(JSON.stringify({ daily_cap, tenant_daily_cap, providers: offers }, null, 2))
    return
  }
  const rows = offers.flatMap(({ id, ranges, calls }) =>
    calls.map(({ signals, cost_max: costMax }, place) => [
      place === 0 ? id : "",
      place === 0 ? (ranges?.join(" ") ?? "every number") : "",
      signals.join(" "),
      String(costMax),
    ]),
  )
  table(["PROVIDER", "NUMBERS", "ASKED IN ONE CALL", "COST AT MOST"], rows).forEach(terminal.print)
  terminal.print("")
  terminal.print(`At most ${daily_cap} a day in all, and ${tenant_daily_cap} for a tenant.`)
}

/** Says of each provider whether it takes our credentials; fails if one does not. */
export async function checkConfigured(terminal: Terminal): Promise<void> {
  const checks = await checkProviders(configured(terminal).providers)
  const rows = checks.map(({ id, fault }) =>
    fault === null ? [id, "ok", "takes our credentials"] : [id, "fault", fault],
  )
  table(["PROVIDER", "STATE", "FOUND"], rows).forEach(terminal.print)
  const faults = rows.filter(([, state]) => state === "fault").length
  if (faults > 0)
    throw new CommandError(`${faults} of ${rows.length} providers cannot be spoken to`)
}

/** Prints what a month has cost by tenant and provider, as it was counted under the caps. */
export async function printCosts(
  options: { month?: string; json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const month = options.month ?? monthOf(terminal.now())
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new CommandError("--month takes a month such as 2026-03")
  const costs = await withRecords(readConfig(terminal.env), async (records) => {
    const names = new Map((await records.tenants()).map(({ id, name }) => [id, name]))
    const rows = await records.providerCosts({ from: `${month}-01`, to: `${month}-31` })
    return rows.map(({ tenantId, provider, calls, micros }) => ({
      tenant: names.get(tenantId) ?? "",
      provider,
      calls,
      cost: micros / MICROS,
    }))
  })
  if (options.json === true) terminal.print(JSON.stringify({ month, costs }, null, 2))
  else if (costs.length === 0) terminal.print(`No provider was asked in ${month}.`)
  else {
    const rows = costs.map(({ tenant, provider, calls, cost }) => [
      tenant,
      provider,
      String(calls),
      String(cost),
    ])
    table(["TENANT", "PROVIDER", "CALLS", "COST"], rows).forEach(terminal.print)
  }
}

function configured(terminal: Terminal): {
  settings: ProviderSettings
  providers: readonly PhoneSignalProvider[]
} {
  const settings = configuredProviders(readConfig(terminal.env))
  if (settings === null)
    throw new CommandError(
      "ASSAY_PROVIDERS is not set in this shell. Without it a service asks nobody about phone numbers; set it as your service has it",
    )
  try {
    return { settings, providers: openProviders(settings, terminal.now) }
  } catch (error) {
    if (!isExplained(error, "settings-file")) throw error
    throw new CommandError(`ASSAY_PROVIDERS names settings that cannot be used: ${error.message}`, {
      cause: error,
    })
  }
}

/** What a provider is asked, as `--json` prints it. */
interface Offer {
  readonly id: string
  /** null: every number. */
  readonly ranges: readonly string[] | null
  readonly calls: readonly { readonly signals: readonly SignalName[]; readonly cost_max: number }[]
}

function offerOf(provider: PhoneSignalProvider): Offer {
  const { id, ranges } = provider
  // The first digits of a range stand for its numbers: they are enough to ask which signals it
  // offers.
  const signals = (ranges ?? ["+"]).flatMap((e164) => provider.capabilities({ e164, region: "ZZ" }))
  const calls = provider.calls([...new Set(signals)])
  return {
    id,
    ranges,
    calls: calls.map((asked) => ({
      signals: asked,
      cost_max: provider.priceMicros(asked) / MICROS,
    })),
  }
}
