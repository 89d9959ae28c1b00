import {
  EmailRiskResult,
  type FeedbackReceipt,
  type FeedbackRequest,
  PhoneRiskResult,
} from "@assay/core/contract"
import { isFailure } from "./errors.ts"
import { type Answer, type Failover, failoverAnswer } from "./failover.ts"
import { type FeedbackOptions, sendFeedback, undoFeedback } from "./feedback.ts"
import { type ClientOptions, type Settings, settingsOf } from "./options.ts"
import { type Expected, resultOf } from "./response.ts"
import { type CallOptions, sent } from "./send.ts"

export interface ScoreOptions extends CallOptions {
  /** Adds `explanation`: what the score was made from and how each part moved it. */
  readonly explain?: boolean
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
  /**
   * Reports what became of an identity, and resolves when the next score rests on it. Safe to be sent again by itself;
   * it rejects whatever `failover` says, and takes 5 seconds unless given more.
   */
  sendFeedback(feedback: FeedbackRequest, options?: FeedbackOptions): Promise<FeedbackReceipt>
  /** Takes feedback back, by the id it was acknowledged with, as if it had never been sent. */
  undoFeedback(id: string, options?: CallOptions): Promise<void>
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
    sendFeedback: (feedback, options) => sendFeedback(settings, feedback, options),
    undoFeedback: (id, options) => undoFeedback(settings, id, options),
  }
}

async function scored(
  settings: Settings<Failover>,
  { path, identity: member, members }: Operation,
  identity: string,
  options: ScoreOptions,
): Promise<object> {
  const { explain = false } = options
  const expected: Expected = {
    members: explain ? [...members, "explanation"] : members,
    echo: [member, identity],
  }
  try {
    return await sent(
      settings,
      {
        method: "POST",
        path: path + (explain ? "?explain=true" : ""),
        body: { [member]: identity },
        repeatable: false,
        read: (response) => resultOf(response, expected),
      },
      options,
    )
  } catch (error) {
    const answer = isFailure(error) ? failoverAnswer(settings.failover, error) : null
    if (answer === null) throw error
    return answer
  }
}
