import { type Static, Type } from "typebox"
import { camara } from "../providers/camara/camara.ts"
import { type ProviderKind } from "../providers/provider-kind.ts"
import { exactly } from "../../settings/settings-file.ts"
import { BUDGET_MS } from "../providers/provider-limits.ts"
import type { PhoneSignalProvider } from "../providers/signals.ts"
import { twilio } from "../providers/twilio/twilio-provider.ts"

/** Every kind of provider by its member of the settings, in the order in which they are asked. */
const KINDS = {
  camara,
  twilio,
}
type Kinds = typeof KINDS

export const PROVIDER_KINDS: Readonly<Record<string, ProviderKind>> = KINDS

const CAP = { minimum: 0, maximum: 1_000_000_000 }

const common = {
  budget_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_000,
      default: BUDGET_MS,
      description:
        "Time in milliseconds an answer waits for all providers together. What comes later is there for the next request.",
    }),
  ),
  daily_cap: Type.Number({
    ...CAP,
    description:
      "The most that is spent in a UTC day for all tenants together, in whatever unit the prices are in.",
  }),
  tenant_daily_cap: Type.Number({
    ...CAP,
    description:
      "The most that is spent in a UTC day for one tenant, unless `provider_daily_cap` is set for it.",
  }),
}

/** Who is asked about phone numbers, and what that may cost. */
export type ProviderSettings = Static<Type.TObject<typeof common>> & {
  readonly [Key in keyof Kinds]?: Static<Kinds[Key]["settings"]>
}
export const ProviderSettings = Type.Object(
  {
    ...common,
    ...Object.fromEntries(
      Object.entries(PROVIDER_KINDS).map(([key, kind]) => [key, Type.Optional(kind.settings)]),
    ),
  },
  exactly,
)

/** Each kind that the settings name, with its own member of them. */
export function configuredKinds(settings: ProviderSettings): [kind: ProviderKind, own: unknown][] {
  const members = new Map<string, unknown>(Object.entries(settings))
  return Object.entries(PROVIDER_KINDS)
    .filter(([key]) => members.has(key))
    .map(([key, kind]) => [kind, members.get(key)])
}

/** Everybody the settings name, in the order in which they are asked. Asks nobody yet. */
export function openProviders(
  settings: ProviderSettings,
  now: () => number,
): PhoneSignalProvider[] {
  return configuredKinds(settings).flatMap(([kind, own]) => kind.open(own, now))
}

export interface ProviderCheck {
  readonly id: string
  /** Why it cannot be spoken to; null where it can. */
  readonly fault: string | null
}

/**
 * Longer than a call for a request may take: a person waits, and a slow provider is not a wrong
 * one.
 */
const CHECK_MS = 10_000

/** Whether each provider takes our credentials. Names no number to anyone. */
export async function checkProviders(
  providers: readonly PhoneSignalProvider[],
): Promise<ProviderCheck[]> {
  const abort = AbortSignal.timeout(CHECK_MS)
  const faultOf = (provider: PhoneSignalProvider): Promise<string | null> =>
    provider.check(abort).then(
      () => null,
      (error: unknown) => (error as Error).message,
    )
  return await Promise.all(
    providers.map(async (provider) => ({ id: provider.id, fault: await faultOf(provider) })),
  )
}
