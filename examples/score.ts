// Scores the e-mail addresses and phone numbers it is given. Start the service with `npm start`,
// then, with the key that it prints:
//
//   API_KEY=ask_demo_… npx node --conditions=source examples/score.ts ivan.petrov@mail.example +61491570156
import { AssayProblem, createClient } from "@assay/client"

const assay = createClient({
  baseUrl: process.env["BASE_URL"] ?? "http://localhost:8080",
  apiKey: process.env["API_KEY"] ?? "",
  // For a person at a terminal; before a sign-in the default of 500 ms is long enough.
  timeoutMs: 5000,
  // Without an answer, ask people for a second factor: neither locked out nor waved through.
  failover: "challenge",
})

for (const identity of process.argv.slice(2)) {
  try {
    const answer = identity.startsWith("+")
      ? await assay.scorePhone(identity)
      : await assay.scoreEmail(identity)
    if (answer.failover) {
      console.log(`not checked (${answer.cause.message}): ${answer.action}`)
      continue
    }
    const action = "recommendation" in answer ? answer.recommendation : answer.recommended_action
    console.log(`${answer.risk_score} ${action}: ${answer.risk_reasons.join("; ")}`)
  } catch (error) {
    if (!(error instanceof AssayProblem)) throw error
    console.log(`refused: ${error.message}`)
  }
}
