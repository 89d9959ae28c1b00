// Signs up as a program of a stranger would: reads the offer, does the work, sends the form.
import { join } from "node:path"
import { solveChallenge, type Challenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import type { SignUpOffer, SignUpRequest } from "@assay/core/contract"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { signedChallenge } from "../../packages/server/src/signup/proof-of-work.ts"
import type { Service } from "./service.ts"

/**
 * A filled form with the work done for it. The work is easy unless a test is about it: a challenge
 * as the service signs them, which is solved at once and not after seconds.
 */
export async function signUpForm(
  service: Service,
  changes: Partial<SignUpRequest> = {},
  { work: amount = "easy" }: { readonly work?: "easy" | "real" } = {},
): Promise<SignUpRequest> {
  const response = await service.request("/api/v1/signup", { key: null })
  const { challenge: offered, terms } = (await response.json()) as SignUpOffer
  const challenge = amount === "real" ? offered : await easyChallenge(service)
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

async function easyChallenge({
  dataDirectory,
}: Pick<Service, "dataDirectory">): Promise<SignUpOffer["challenge"]> {
  const { subkeys } = openSecrets(join(dataDirectory, "secret"), false)
  const easy = { counter: 1, madeAtMs: Date.now() }
  return { ...(await signedChallenge(subkeys["sealed-identity"], easy)) }
}

export async function sendForm(service: Service, form: unknown): Promise<Response> {
  return await service.request("/api/v1/signup", { key: null, json: form })
}
