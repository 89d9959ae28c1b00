import type { PhoneSignalProvider } from "../signals.ts"
import { openCamaraProvider } from "../providers/camara/camara-provider.ts"
import { carrierRanges } from "../providers/camara/carrier-ranges.ts"
import type { ProviderSettings } from "../providers/provider-settings.ts"
import { openTwilioProvider } from "../providers/twilio/twilio-provider.ts"

/** Everybody the settings name, in the order in which they are asked. Asks nobody yet. */
export function openProviders(
  { camara = [], twilio }: ProviderSettings,
  now: () => number,
): PhoneSignalProvider[] {
  const ranges = carrierRanges(camara)
  return [
    ...camara.map((carrier) => openCamaraProvider(carrier, { ranges, now })),
    ...(twilio === undefined ? [] : [openTwilioProvider(twilio, { now })]),
  ]
}
