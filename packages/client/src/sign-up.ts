import type { SignUpOffer, SignUpPending, SignUpRequest, SignUpResult } from "@assay/core/contract"
import type { CallOptions } from "./request.ts"
import type { Send } from "./sent.ts"

/** A stranger becomes a tenant of the free plan, where the service allows it. */
export interface SignUpCalls {
  /** The terms, and work for this computer in the form of altcha-lib. */
  offer(options?: CallOptions): Promise<SignUpOffer>
  /** The tenant and its key, or who must act first. */
  ask(request: SignUpRequest, options?: CallOptions): Promise<SignUpResult | SignUpPending>
  /** Completes it by the token of a mail, or of an administrator. */
  confirm(token: string, options?: CallOptions): Promise<SignUpResult>
}

export function signUpCalls(send: Send): SignUpCalls {
  return {
    offer: (options) => send("GET", "/signup", "challenge", { options }),
    ask: (body, options) => send("POST", "/signup", null, { body, options }),
    confirm: (token, options) =>
      send("POST", "/signup/confirm", "key", { body: { token }, options }),
  }
}
