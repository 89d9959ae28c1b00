// A stranger's first minute: signs up for the free plan, scores an address, and looks at the
// decision and at what was used. Run it beside a demo:
//
//   npm start
//   node_modules/.bin/node --conditions=source examples/sign-up.ts http://localhost:8080
//
// It prints what it did, and the key last.
import { setTimeout as delay } from "node:timers/promises"
import { createClient, decisionIdOf } from "@assay/client"
import { type Challenge, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"

const [service = "http://localhost:8080"] = process.argv.slice(2)
const startedAt = performance.now()

interface Offer {
  readonly mode: string
  readonly challenge: Challenge
  readonly terms: { readonly version: string }
}

const offer = (await (await fetch(`${service}/api/v1/signup`)).json()) as Offer
const solution = await solveChallenge({ challenge: offer.challenge, deriveKey })
const answer = await fetch(`${service}/api/v1/signup`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    organisation: "Example Shop",
    email: "owner@shop.example",
    purposes: ["fraud-prevention"],
    terms_version: offer.terms.version,
    proof: { challenge: offer.challenge, solution },
  }),
})
if (answer.status !== 201) throw new Error(`the sign-up was answered with ${answer.status}`)
const { tenant, key } = (await answer.json()) as { tenant: string; key: string }
console.log(`signed up as ${tenant}`)

const client = createClient({ baseUrl: service, apiKey: key, timeoutMs: 5000 })
const scored = await client.scoreEmail("ana.silva@mail.example")
console.log(`score ${scored.risk_score}, ${scored.threat_stage}, ${scored.recommended_action}`)

const decision = await client.getDecision(decisionIdOf(scored) ?? "")
console.log(`decision ${decision.id}, by model ${decision.model_version}`)

let usage = await client.getUsage()
while (usage.total === 0) {
  await delay(200)
  usage = await client.getUsage()
}
console.log(`${usage.total} of ${String(usage.lookups_per_month)} lookups used`)
console.log(`all of it took ${((performance.now() - startedAt) / 1000).toFixed(1)} s; the key:`)
console.log(key)
