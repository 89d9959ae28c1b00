import type { AccessTokens } from "./access-tokens.ts"
import { refusal } from "./error-codes.ts"
import { type Answer, exchange } from "./exchange.ts"
import { type Members, membersOf } from "./members.ts"

/** One operation of an API. */
export interface Operation {
  readonly url: string
  /** As the definitions name it, with the purpose before it where the carrier has one. */
  readonly scopes: string
}

/** One question about one signal, which may take several requests. */
export interface Inquiry {
  /** The members of the answer. Throws `SignalFailure` where there is none. */
  post(operation: Operation, body: object): Promise<Members>
  /**
   * Whether the carrier can be taken to bill it; null where a request got no answer and nobody
   * knows.
   */
  billable(): boolean | null
}

export interface InquiryOptions {
  readonly tokens: AccessTokens
  readonly correlationId: string
  readonly abort: AbortSignal
}

export function openInquiry({ tokens, correlationId, abort }: InquiryOptions): Inquiry {
  let answered = 0
  let unanswered = 0

  async function send({ url, scopes }: Operation, body: string): Promise<Answer> {
    const token = await tokens.get(scopes, abort)
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
      "x-correlator": correlationId,
      "user-agent": "assay",
    }
    unanswered++
    const answer = await exchange(url, { headers, body }, abort)
    unanswered--
    if (answer.http === 401) tokens.drop(scopes, token)
    return answer
  }

  return {
    async post(operation, body) {
      const text = JSON.stringify(body)
      const first = await send(operation, text)
      // A carrier may end a token before its time; a new one settles that, or shows that it is
      // something else.
      const { http, body: said } = first.http === 401 ? await send(operation, text) : first
      if (http !== 200) throw refusal(http, said)
      // Billed from here on, whatever the answer is worth.
      answered++
      return membersOf(said)
    },
    billable() {
      if (answered > 0) return true
      return unanswered > 0 ? null : false
    },
  }
}
