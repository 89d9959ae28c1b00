import { readConfig } from "../base/config.ts"
import { monthOf } from "@assay/runtime/time"
import { knownTenant } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface UsageOptions {
  readonly tenant?: string
  readonly month?: string
  readonly byDay?: boolean
  readonly json?: boolean
}

interface UsageLine {
  readonly tenant: string
  readonly key: string
  readonly label: string
  readonly day: string
  readonly operation: string
  readonly count: number
}

/** Prints what was looked up in a month, by tenant, key and operation. */
export async function printUsage(options: UsageOptions, terminal: Terminal): Promise<void> {
  const month = options.month ?? monthOf(terminal.now())
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new CommandError("--month takes a month such as 2026-03")
  const lines = await usageLines(month, options.tenant, terminal)
  const shown = options.byDay === true ? lines : wholeMonth(lines)
  if (options.json === true) {
    const usage = options.byDay === true ? shown : shown.map(({ day: _day, ...line }) => line)
    terminal.print(JSON.stringify({ month, usage }, null, 2))
    return
  }
  if (shown.length === 0) {
    terminal.print(`Nothing was looked up in ${month}.`)
    return
  }
  const day = options.byDay === true ? ["DAY"] : []
  const rows = shown.map((line) => [
    ...(options.byDay === true ? [line.day] : []),
    line.tenant,
    line.key,
    line.label,
    line.operation,
    String(line.count),
  ])
  table([...day, "TENANT", "KEY", "LABEL", "OPERATION", "LOOKUPS"], rows).forEach(terminal.print)
  terminal.note(`${shown.reduce((sum, { count }) => sum + count, 0)} lookups in ${month}.`)
}

async function usageLines(
  month: string,
  tenant: string | undefined,
  { env }: Terminal,
): Promise<UsageLine[]> {
  return await withRecords(readConfig(env), async (records) => {
    const only = tenant === undefined ? undefined : await knownTenant(tenant, records)
    const names = new Map((await records.tenants()).map(({ id, name }) => [id, name]))
    const keys = new Map((await records.keys()).map((key) => [key.id, key]))
    const rows = await records.usage({
      ...(only && { tenantId: only.id }),
      from: `${month}-01`,
      to: `${month}-31`,
    })
    return rows.map(({ keyId, day, operation, count }) => {
      const key = keys.get(keyId)
      const tenantId = key?.tenantId ?? null
      return {
        tenant: tenantId === null ? "(service)" : (names.get(tenantId) ?? ""),
        key: keyId,
        label: key?.label ?? "",
        day,
        operation,
        count,
      }
    })
  })
}

/** The days of a month as one, by tenant, key and operation. */
function wholeMonth(lines: readonly UsageLine[]): UsageLine[] {
  const groups = Map.groupBy(lines, ({ tenant, key, operation }) =>
    JSON.stringify([tenant, key, operation]),
  )
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, days]) => {
      const [first] = days
      const count = days.reduce((sum, day) => sum + day.count, 0)
      return first === undefined ? [] : [{ ...first, count }]
    })
}
