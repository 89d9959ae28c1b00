import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import type { PhoneSignalProvider } from "../../../../src/score/providers/signals.ts"
import { openTrialCarrier, type TrialCarrier } from "@assay/carrier/open-trial-carrier"
import { makeTrialClient } from "@assay/carrier/trial-client"
import type { CarrierSettings } from "../../../../src/score/providers/camara/camara-settings.ts"
import { openCamaraProvider } from "../../../../src/score/providers/camara/camara-provider.ts"
import { carrierRanges } from "../../../../src/score/providers/camara/carrier-ranges.ts"

export interface TrialProviders {
  readonly carrier: TrialCarrier
  /** A provider that asks the carrier, with its own tokens and nothing learned yet. */
  provider(apis?: CarrierSettings["apis"]): PhoneSignalProvider
}

/** Every API, with SIM and device changes given as dates or as yes and no. */
export function everyApi(answers: "date" | "check"): CarrierSettings["apis"] {
  return {
    sim_swap: { price: 0.02, answers },
    device_swap: { price: 0.02, answers },
    number_recycling: { price: 0.01 },
    call_forwarding: { price: 0.01 },
    reachability: { price: 0.01 },
    roaming: { price: 0.01 },
    tenure: { price: 0.03 },
    subscription_status: { price: 0.01 },
  }
}

/** The carrier for trials with one client, until the tests of the file are done. */
export async function openTrialProviders(): Promise<TrialProviders> {
  const folder = mkdtempSync(join(tmpdir(), "assay-trial-carrier-"))
  const keyFile = join(folder, "client.pem")
  const { client, keyId, privateKeyPem } = await makeTrialClient("assay")
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 })
  const carrier = await openTrialCarrier({ clients: [client] })
  const opened: PhoneSignalProvider[] = []
  after(async () => {
    for (const provider of opened) provider.close()
    await carrier.close()
    rmSync(folder, { recursive: true })
  })
  return {
    carrier,
    provider(apis = everyApi("date")) {
      const settings: CarrierSettings = {
        name: "trial",
        ranges: ["+61491570"],
        base_url: `${carrier.url}/`,
        token_url: carrier.tokenUrl,
        client_id: client.clientId,
        private_key_file: keyFile,
        key_id: keyId,
        purpose: "dpv:FraudPreventionAndDetection",
        apis,
      }
      const provider = openCamaraProvider(settings, {
        ranges: carrierRanges([settings]),
        now: Date.now,
      })
      opened.push(provider)
      return provider
    },
  }
}
