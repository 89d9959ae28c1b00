// Signs up as a program of a stranger would: reads the offer, does the work, sends the form.
import { solveChallenge, type Challenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import type { SignUpOffer, SignUpRequest } from "@assay/core/contract"
import type { Service } from "./service.ts"

/** A filled form with the work done for it. */
export async function signUpForm(
  service: Service,
  changes: Partial<SignUpRequest> = {},
): Promise<SignUpRequest> {
  const response = await service.request("/api/v1/signup", { key: null })
  const { challenge, terms } = (await response.json()) as SignUpOffer
  const work = challenge as unknown as Challenge
  const solution = await solveChallenge({ challenge: work, deriveKey })
  if (solution === null) throw new Error("the work was not solved")
  return {
    organisation: "Corner Shop Ltd",
    email: "owner@shop.example",
    purposes: ["fraud-prevention"],
    terms_version: terms.version,
    proof: { challenge, solution },
    ...changes,
  }
}

export async function sendForm(service: Service, form: unknown): Promise<Response> {
  return await service.request("/api/v1/signup", { key: null, json: form })
}
