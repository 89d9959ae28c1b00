// The carrier for trials, and settings of providers that name it, for the tests of this folder.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after } from "node:test"
import type { CarrierSettings } from "../../packages/server/src/score/providers/camara/camara-settings.ts"
import {
  openTrialCarrier,
  type TrialCarrier,
} from "../../packages/carrier/src/open-trial-carrier.ts"
import { makeTrialClient } from "../../packages/carrier/src/trial-client.ts"
import { temporaryDirectory } from "./temporary.ts"

export interface TrialProviders {
  readonly carrier: TrialCarrier
  /** PKCS #8 in PEM. */
  readonly privateKeyPem: string
  /**
   * Settings of a carrier with this name and these numbers. The one trial carrier answers for all.
   */
  carrierSettings(
    name: string,
    ranges: string[],
    change?: Partial<CarrierSettings>,
  ): CarrierSettings
  /** Writes a file for ASSAY_PROVIDERS and gives its path. */
  settings(camara: readonly CarrierSettings[], change?: object): string
  /** How often the carrier was asked about a number. */
  asked(number: string): number
}

/** Open until the tests of the file are done. */
export async function openTrialProviders(): Promise<TrialProviders> {
  const folder = temporaryDirectory()
  const { client, keyId, privateKeyPem } = await makeTrialClient("assay")
  const keyFile = join(folder, "client.pem")
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 })
  const carrier = await openTrialCarrier({ clients: [client] })
  after(() => carrier.close())
  let files = 0
  return {
    carrier,
    privateKeyPem,
    carrierSettings: (name, ranges, change = {}) => ({
      name,
      ranges,
      base_url: carrier.url,
      token_url: carrier.tokenUrl,
      client_id: client.clientId,
      private_key_file: keyFile,
      key_id: keyId,
      apis: { sim_swap: { price: 0.01, answers: "date" } },
      ...change,
    }),
    settings(camara, change = {}) {
      const file = join(folder, `providers-${++files}.json`)
      const document = { daily_cap: 1_000, tenant_daily_cap: 1_000, camara, ...change }
      writeFileSync(file, JSON.stringify(document), { mode: 0o600 })
      return file
    },
    asked: (number) =>
      carrier.requests().filter(({ body }) => body.includes(JSON.stringify(number))).length,
  }
}
