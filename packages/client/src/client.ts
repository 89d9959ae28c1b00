import { EmailRiskResult, PhoneRiskResult } from "@assay/core/contract"
import { AssayUnavailable, isFailure } from "./errors.ts"
import { type Answer, type Failover, failoverAnswer } from "./failover.ts"
import { checkedTimeout, type ClientOptions, type Settings, settingsOf } from "./options.ts"
import { type Expected, resultOf } from "./response.ts"
import { retryPause } from "./retry.ts"
import { type TimeLimit, withinTime } from "./time-limit.ts"

export interface ScoreOptions {
  /** Adds `explanation`: what the score was made from and how each part moved it. */
  readonly explain?: boolean
  /** Cancels the call, which then rejects with the signal's reason, whatever `failover` says. */
  readonly signal?: AbortSignal
  /** Time for this call, its retries included, instead of the client's. */
  readonly timeoutMs?: number
  /** Sent as `X-Request-Id` and logged by the service: at most 128 letters, digits and `_.:-`. */
  readonly requestId?: string
}

/** A result asked for with `explain: true`. */
export type Explained<Result extends { explanation?: unknown }> = Result &
  Required<Pick<Result, "explanation">>

/** The service, seen from a caller. Calls reject with AssayProblem or AssayUnavailable. */
export interface Client<F extends Failover = "throw"> {
  /** Scores an e-mail address. */
  scoreEmail(
    email: string,
    options: ScoreOptions & { readonly explain: true },
  ): Promise<Answer<Explained<EmailRiskResult>, F>>
  scoreEmail(email: string, options?: ScoreOptions): Promise<Answer<EmailRiskResult, F>>
  /** Scores a phone number in international format: a plus sign and digits, without separators. */
  scorePhone(
    phoneNumber: string,
    options: ScoreOptions & { readonly explain: true },
  ): Promise<Answer<Explained<PhoneRiskResult>, F>>
  scorePhone(phoneNumber: string, options?: ScoreOptions): Promise<Answer<PhoneRiskResult, F>>
}

/** A scoring operation, as the contract describes it. */
interface Operation {
  readonly path: string
  /** The member that holds the identity, in the request and in the result. */
  readonly identity: string
  readonly members: readonly string[]
}

const emailOperation: Operation = {
  path: "/api/v1/risk/score",
  identity: "email",
  members: EmailRiskResult.required,
}
const phoneOperation: Operation = {
  path: "/api/v1/phone-risk",
  identity: "phone_number",
  members: PhoneRiskResult.required,
}

/** Makes a client; throws a TypeError on a wrong option. It holds no connection and needs no closing. */
export function createClient<const F extends Failover = "throw">(
  options: ClientOptions<F>,
): Client<F> {
  const settings = settingsOf(options)
  const score =
    (operation: Operation) =>
    // The members of the result were checked against the contract, so its type can be asserted.
    (identity: string, options: ScoreOptions = {}): Promise<never> =>
      scored(settings, operation, identity, options) as Promise<never>
  return { scoreEmail: score(emailOperation), scorePhone: score(phoneOperation) }
}

async function scored(
  settings: Settings<Failover>,
  operation: Operation,
  identity: string,
  options: ScoreOptions,
): Promise<object> {
  const timeoutMs = checkedTimeout(options.timeoutMs ?? settings.timeoutMs)
  const late = (): Error =>
    new AssayUnavailable("timeout", `Assay did not answer within ${timeoutMs} ms`)
  const { signal } = options
  const send = sender(settings, operation, identity, options)
  try {
    return await withinTime({ timeoutMs, late, ...(signal && { signal }) }, (limit) =>
      sendWithRetries(send, settings.retries, limit),
    )
  } catch (error) {
    const answer = isFailure(error) ? failoverAnswer(settings.failover, error) : null
    if (answer === null) throw error
    return answer
  }
}

type Send = (signal: AbortSignal) => Promise<object>

async function sendWithRetries(send: Send, retries: number, limit: TimeLimit): Promise<object> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(limit.signal)
    } catch (error) {
      const pauseMs = isFailure(error) ? retryPause(error, attempt, Math.random) : null
      // What cannot be over in time is reported now, not after waiting for it in vain.
      if (pauseMs === null || attempt === retries || pauseMs >= limit.remainingMs()) throw error
      await limit.pause(pauseMs)
    }
  }
}

/** A function that sends the request once and reads the result. */
function sender(
  { baseUrl, apiKey, fetch }: Settings<Failover>,
  { path, identity: member, members }: Operation,
  identity: string,
  { explain = false, requestId }: ScoreOptions,
): Send {
  // Longer or stranger ids the service would replace by one of its own.
  if (requestId !== undefined && !/^[\w.:-]{1,128}$/.test(requestId))
    throw new TypeError("requestId takes at most 128 letters, digits and _.:-")
  const expected: Expected = {
    members: explain ? [...members, "explanation"] : members,
    echo: [member, identity],
  }
  const url = baseUrl + path + (explain ? "?explain=true" : "")
  const request = {
    method: "POST",
    headers: {
      accept: "application/json, application/problem+json",
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(requestId !== undefined && { "x-request-id": requestId }),
    },
    body: JSON.stringify({ [member]: identity }),
    // Following one would hand the identity to another address; the service never sends any.
    redirect: "manual",
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  } as const satisfies RequestInit
  return async (signal) => {
    let response: Response
    try {
      response = await fetch(url, { ...request, signal })
    } catch (cause) {
      throw new AssayUnavailable("network", "Assay could not be reached", { cause })
    }
    return await resultOf(response, expected)
  }
}
