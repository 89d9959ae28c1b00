import { boundedJson } from "@assay/runtime/outbound/bounded-json"
import { CONNECTION_FAILED } from "../passing-faults.ts"
import { SignalFailure } from "../signal-failure.ts"

export interface Answer {
  readonly http: number
  /** What the JSON says; undefined where there is none, or more than an answer can have. */
  readonly body: unknown
}

export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers have a few members; anything longer is no answer, and is not read into memory. */
const BODY_BYTES_MAX = 64 * 1024

/**
 * Posts one request and reads its answer, whatever the status. Throws `SignalFailure` and nothing
 * else: `timeout` where `signal` ended it. Redirects are refused, since the configured host is the
 * only one that may learn of a number.
 */
export async function exchange(
  url: string,
  { headers, body }: Outgoing,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal })
    if (response.status >= 300 && response.status <= 399) {
      await response.body?.cancel()
      throw new SignalFailure("error", "redirect")
    }
    // A failure's status counts even if its page cannot be read.
    return { http: response.status, body: await boundedJson(response, BODY_BYTES_MAX) }
  } catch (error) {
    if (error instanceof SignalFailure) throw error
    // Whatever else `fetch` and its streams throw names the URL, or quotes a header.
    if (signal.aborted) throw new SignalFailure("timeout", null)
    throw new SignalFailure("error", CONNECTION_FAILED)
  }
}
