import { problems, SERVICE_SCOPES, TENANT_SCOPES } from "@assay/core/contract"
import { LINES_A_REQUEST } from "../../packages/server/src/accounts/limits.ts"
import { plans, type Plan } from "../../packages/server/src/accounts/plans.ts"
import { REFUSED_IN_A_ROW } from "../../packages/server/src/score/many/refused-lines.ts"
import { settings, type SettingName } from "../../packages/server/src/base/config.ts"
import { BODY_MAX } from "../../packages/server/src/http/sizes.ts"
import { SHARED_ENTRIES_MAX, TENANT_ENTRIES_MAX } from "../../packages/stores/src/entry-set.ts"
import { NOTIFICATIONS_PER_SECOND } from "../../packages/server/src/intake/evidence-writer.ts"
import { code, counted, lines, table } from "./page.ts"

export function limitsPage(): string {
  return lines(
    "# Limits",
    "## Plans",
    table(
      [
        "Plan",
        "Requests a second",
        "Lookups a month",
        "Different identities a day",
        "Streams at once",
        "Names sources",
        "Scopes a key can have",
      ],
      Object.entries<Plan>(plans).map(planRow),
    ),
    "Limits are of the tenant, whatever key and whichever worker: seconds are windows that begin with the first request, days and months are UTC. Every request with a valid key counts toward the rate, also one that is refused or fails; toward month and day counts what is answered. Service keys belong to no tenant and have no limits.",
    `A batch or a stream is one request; each of its items that gets a result is one lookup. Every ${LINES_A_REQUEST} items that are refused count as one more request: a stream waits until the rate covers them, a batch refuses the rest. A stream ends after ${REFUSED_IN_A_ROW} refused lines in a row. Plans without limits know neither.`,
    "## Scopes",
    table(
      ["Scope", "Held by"],
      [
        ...TENANT_SCOPES.map((scope) => [code(scope), "keys of a tenant"]),
        ...SERVICE_SCOPES.map((scope) => [code(scope), "service keys"]),
      ],
    ),
    "The [HTTP API](api.md) names the scope of each operation, and every scope opens at least one. A key can use `drop:reseal` only where it was made for 24 hours or less.",
    "## Requests",
    table(
      ["Past this limit", "Status", "The limit"],
      (["body-too-large", "headers-too-large", "request-timeout"] as const).map((name) => [
        code(name),
        problems[name].status,
        problems[name].meaning,
      ]),
    ),
    table(
      ["Setting", "Default", "Takes", "Meaning"],
      (
        [
          "ASSAY_REQUEST_SECONDS",
          "ASSAY_STREAM_IDLE_SECONDS",
          "ASSAY_SHED_DELAY_MS",
          "ASSAY_STOP_SECONDS",
        ] as const
      ).map(settingRow),
    ),
    "## Notifications of carriers",
    `A carrier may send ${NOTIFICATIONS_PER_SECOND} notifications a second, of ${BODY_MAX / 1024} KiB at most each. They count against no plan.`,
    "## Evidence of one identity",
    table(
      ["What an answer rests on", "At most"],
      [
        ["shared entries", SHARED_ENTRIES_MAX],
        ["entries of the asking tenant's own", TENANT_ENTRIES_MAX],
      ],
    ),
    "Where there are more, the highest stage and then the newest are kept, and `entries_cut` in the explanation says how many were left out.",
  )
}

function planRow([name, { limits, scopes, namedSources }]: [string, Plan]): (string | boolean)[] {
  const shown = (limit: number | undefined): string =>
    limit === undefined ? "no limit" : counted(limit)
  return [
    code(name),
    shown(limits?.requestsPerSecond),
    shown(limits?.lookupsPerMonth),
    shown(limits?.identitiesPerDay),
    shown(limits?.streamsAtOnce),
    namedSources,
    scopes.map(code).join(", "),
  ]
}

function settingRow(wanted: SettingName): string[] {
  return settings
    .filter(({ name }) => name === wanted)
    .flatMap(({ name, fallback, takes, meaning }) => [code(name), fallback, takes, meaning])
}
