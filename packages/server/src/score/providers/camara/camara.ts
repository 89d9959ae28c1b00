import { type ProviderKind } from "../provider-kind.ts"
import { settingsFault } from "../../../settings/settings-file.ts"
import { openCamaraProvider } from "./camara-provider.ts"
import { CamaraSettings } from "./camara-settings.ts"
import { carrierRanges } from "./carrier-ranges.ts"
import { readNotificationTokens } from "./notification-tokens.ts"

/** Carriers that offer CAMARA APIs, each with its ranges of numbers. */
export const camara: ProviderKind<typeof CamaraSettings> = {
  settings: CamaraSettings,
  check(carriers) {
    if (new Set(carriers.map(({ name }) => name)).size < carriers.length)
      throw settingsFault("at /camara: has two carriers of the same name")
    for (const [at, { apis, notification_token_file: token }] of carriers.entries())
      if (Object.keys(apis).length === 0 && token === undefined)
        throw settingsFault(
          `at /camara/${at}/apis: takes at least one member where there is no notification_token_file`,
        )
    readNotificationTokens(carriers)
  },
  open(carriers, now) {
    const ranges = carrierRanges(carriers)
    return carriers.map((carrier) => openCamaraProvider(carrier, { ranges, now }))
  },
}
