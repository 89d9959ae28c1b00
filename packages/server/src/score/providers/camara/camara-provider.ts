import type { PhoneSignalProvider, SignalName, SignalRequest, SignalResult } from "../signals.ts"
import type { CarrierSettings } from "./camara-settings.ts"
import { SignalFailure } from "../signal-failure.ts"
import { Explained } from "@assay/runtime/explained"
import { MICROS } from "@assay/stores/micros"
import { openAccessTokens } from "./access-tokens.ts"
import { type Api, offeredApis } from "./apis.ts"
import { readClientKey } from "./client-key.ts"
import { type Inquiry, openInquiry } from "./inquiry.ts"
import { carrierFor, type CarrierRanges } from "./carrier-ranges.ts"
import type { Reading } from "./readings.ts"

export interface CamaraOptions {
  /** The ranges of all carriers: which numbers are this one's depends on what the others have. */
  readonly ranges: CarrierRanges
  readonly now: () => number
}

const TOKEN_REQUEST_MS = 2000

/**
 * A carrier that offers CAMARA APIs. Throws `settingsFault` where its key cannot be used.
 */
export function openCamaraProvider(
  carrier: CarrierSettings,
  { ranges, now }: CamaraOptions,
): PhoneSignalProvider {
  const id = `camara:${carrier.name}`
  const apis = new Map(offeredApis(carrier).map((api) => [api.signal, api]))
  const signals = [...apis.keys()]
  const closing = new AbortController()
  const tokens = openAccessTokens({
    url: carrier.token_url,
    clientId: carrier.client_id,
    key: readClientKey(carrier),
    requestMs: carrier.timeout_ms ?? TOKEN_REQUEST_MS,
    closing: closing.signal,
    now,
  })

  async function ask(name: SignalName, request: SignalRequest): Promise<SignalResult> {
    const startedMs = now()
    const inquiry = openInquiry({
      tokens,
      correlationId: request.correlationId,
      abort: AbortSignal.any([request.abort, closing.signal]),
    })
    const said = await answerOf(apis.get(name), inquiry, request, startedMs)
    const billable = inquiry.billable()
    return {
      signal: name,
      ...said,
      source: id,
      observedAt: new Date(startedMs).toISOString(),
      ...(billable !== null && { billable }),
      latencyMs: Math.max(0, Math.round(now() - startedMs)),
    }
  }

  return {
    id,
    ranges: carrier.ranges,
    timeoutMs: carrier.timeout_ms,
    capabilities: ({ e164 }) => (carrierFor(e164, ranges) === carrier.name ? signals : []),
    // Every signal has an API of its own, and none is to wait for another.
    calls: (names) => names.map((name) => [name]),
    priceMicros: (names) =>
      names.reduce((sum, name) => {
        const { price = 0, requestsMax = 0 } = apis.get(name) ?? {}
        return sum + Math.round(price * MICROS) * requestsMax
      }, 0),
    fetch: (request) => Promise.all(request.signals.map((name) => ask(name, request))),
    async check(abort) {
      for (const { name, operation } of apis.values()) {
        try {
          await tokens.get(operation.scopes, abort)
        } catch (error) {
          throw new Explained("camara-check", sentenceOf(error, carrier.name, name))
        }
      }
    },
    close: () => closing.abort(),
  }
}

type Said = Pick<SignalResult, "status" | "providerCode"> | Reading

async function answerOf(
  api: Api | undefined,
  inquiry: Inquiry,
  request: SignalRequest,
  nowMs: number,
): Promise<Said> {
  if (api === undefined) return { status: "no_coverage" }
  try {
    return await api.ask({ inquiry, operation: api.operation, request, nowMs })
  } catch (error) {
    const { status, code } = failureOf(error)
    return { status, ...(code !== null && { providerCode: code }) }
  }
}

/** Nothing else is thrown on purpose. Any other error is our bug, and its text is never shown. */
function failureOf(error: unknown): SignalFailure {
  return error instanceof SignalFailure ? error : new SignalFailure("error", "internal")
}

/** Names the carrier and its own word for the failure, never a token, a key or a number. */
function sentenceOf(error: unknown, carrier: string, api: string): string {
  const { status, code } = failureOf(error)
  return status === "timeout"
    ? `the token endpoint of carrier ${carrier} did not answer in time`
    : `carrier ${carrier} gave no token for ${api}: ${code ?? status}`
}
