import { DecisionDetails, EmailRiskResult, PhoneRiskResult } from "@assay/core/contract"
import { rememberDecisionId } from "./decision-id.ts"
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
  /** A past decision of the key's tenant, computed again. Needs the scope `decisions:read`; never answered by `failover`. */
  getDecision(id: string, options?: ScoreOptions): Promise<DecisionDetails>
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
  return {
    scoreEmail: score(emailOperation),
    scorePhone: score(phoneOperation),
    getDecision: async (id, options = {}) =>
      (await asked(settings, decisionQuestion(id, options), options)) as DecisionDetails,
  }
}

/** A request, and what tells its answer from another. */
interface Question {
  readonly path: string
  /** Without one it is a GET. */
  readonly body?: string
  readonly expected: Expected
}

function scoreQuestion(
  { path, identity: member, members }: Operation,
  identity: string,
  { explain = false }: ScoreOptions,
): Question {
  return {
    path: path + (explain ? "?explain=true" : ""),
    body: JSON.stringify({ [member]: identity }),
    expected: {
      members: explain ? [...members, "explanation"] : members,
      echo: [member, identity],
    },
  }
}

function decisionQuestion(id: string, { explain = false }: ScoreOptions): Question {
  const members = DecisionDetails.required
  return {
    path: `/api/v1/decisions/${encodeURIComponent(id)}${explain ? "?explain=true" : ""}`,
    expected: {
      members: explain ? [...members, "explanation"] : members,
      echo: ["id", id],
      scoreIn: "recorded",
    },
  }
}

async function scored(
  settings: Settings<Failover>,
  operation: Operation,
  identity: string,
  options: ScoreOptions,
): Promise<object> {
  try {
    return await asked(settings, scoreQuestion(operation, identity, options), options)
  } catch (error) {
    const answer = isFailure(error) ? failoverAnswer(settings.failover, error) : null
    if (answer === null) throw error
    return answer
  }
}

async function asked(
  settings: Settings<Failover>,
  question: Question,
  options: ScoreOptions,
): Promise<object> {
  const timeoutMs = checkedTimeout(options.timeoutMs ?? settings.timeoutMs)
  const late = (): Error =>
    new AssayUnavailable("timeout", `Assay did not answer within ${timeoutMs} ms`)
  const { signal } = options
  const send = sender(settings, question, options)
  return await withinTime({ timeoutMs, late, ...(signal && { signal }) }, (limit) =>
    sendWithRetries(send, settings.retries, limit),
  )
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
  { path, body, expected }: Question,
  { requestId }: ScoreOptions,
): Send {
  // Longer or stranger ids the service would replace by one of its own.
  if (requestId !== undefined && !/^[\w.:-]{1,128}$/.test(requestId))
    throw new TypeError("requestId takes at most 128 letters, digits and _.:-")
  const request = {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json, application/problem+json",
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(requestId !== undefined && { "x-request-id": requestId }),
    },
    ...(body !== undefined && { body }),
    // Following one would hand the identity to another address; the service never sends any.
    redirect: "manual",
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  } as const satisfies RequestInit
  return async (signal) => {
    let response: Response
    try {
      response = await fetch(baseUrl + path, { ...request, signal })
    } catch (cause) {
      throw new AssayUnavailable("network", "Assay could not be reached", { cause })
    }
    const result = await resultOf(response, expected)
    rememberDecisionId(result, response.headers.get("x-decision-id"))
    return result
  }
}
