import type { PhoneSignalProvider } from "../signals.ts"
import { openCamaraProvider } from "../providers/camara/camara-provider.ts"
import { operatorRanges } from "../providers/camara/operator-ranges.ts"
import type { ProviderSettings } from "../providers/provider-settings.ts"
import { openTwilioProvider } from "../providers/twilio/twilio-provider.ts"

/** Everybody the settings name, in the order in which they are asked. Asks nobody yet. */
export function openProviders(
  { camara = [], twilio }: ProviderSettings,
  now: () => number,
): PhoneSignalProvider[] {
  const ranges = operatorRanges(camara)
  return [
    ...camara.map((operator) => openCamaraProvider(operator, { ranges, now })),
    ...(twilio === undefined ? [] : [openTwilioProvider(twilio, { now })]),
  ]
}
