// The service behind an Okta registration inline hook. Okta calls it before a person is registered,
// and denies the registration by itself where no answer comes within 3 seconds.
// Environment: ASSAY_URL, ASSAY_KEY, HOOK_SECRET (the hook's authentication secret), PORT, and
// ASSAY_FAIL_CLOSED=true to deny while Assay is away.
import { createHash, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const { ASSAY_URL: url, ASSAY_KEY: key, ASSAY_TIMEOUT_MS: timeoutMs } = process.env
const { ASSAY_FAIL_CLOSED, HOOK_SECRET, PORT } = process.env
if (!url || !key || !HOOK_SECRET) throw new Error("ASSAY_URL, ASSAY_KEY and HOOK_SECRET are needed")

const BODY_MAX = 256 * 1024

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || !isOkta(request.headers.authorization)) {
    response.writeHead(401).end()
    return
  }
  try {
    const { data } = JSON.parse(await textOf(request))
    answer(response, await commandsFor(data))
  } catch {
    response.writeHead(400).end()
  }
})
server.listen(Number(PORT ?? 3000), () => console.log(`Listening on ${server.address().port}`))

async function commandsFor({ userProfile = {}, context }) {
  const identity = userProfile.email ?? userProfile.login
  if (!identity) return registration("ALLOW")
  const action = await recommended({ url, key, timeoutMs }, identity, {
    event: "sign-up",
    ip: context?.request?.ipAddress || null,
  })
  if (action === "block" || action === "unreadable")
    return registration("DENY", "This account cannot be created. Please contact support.")
  if (action === null && ASSAY_FAIL_CLOSED === "true")
    return registration("DENY", "Registration is not possible now. Please try again later.")
  return registration("ALLOW")
}

/** Okta shows the summary of a cause beside the field that its location names. */
function registration(to, errorSummary) {
  const commands = [{ type: "com.okta.action.update", value: { registration: to } }]
  if (errorSummary === undefined) return { commands }
  const cause = { errorSummary, reason: "REFUSED", locationType: "body", domain: "end-user" }
  const errorCauses = [{ ...cause, location: "data.userProfile.email" }]
  return { commands, error: { errorSummary, errorCauses } }
}

function isOkta(given = "") {
  const [a, b] = [given, HOOK_SECRET].map((text) => createHash("sha256").update(text).digest())
  return timingSafeEqual(a, b)
}

function answer(response, body) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

async function textOf(request) {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk
    if (text.length > BODY_MAX) throw new Error("too long")
  }
  return text
}

/** What Assay recommends; null, and a line in the log, where it gave no answer in time. */
async function recommended({ url, key, timeoutMs = 1000 }, identity, context) {
  const [path, body] = identity.includes("@")
    ? ["/api/v1/risk/score", { email: identity, context }]
    : ["/api/v1/phone-risk", { phone_number: identity, context }]
  try {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(Number(timeoutMs)),
    })
    // Assay cannot read what was typed. That is an answer: otherwise whoever types such a thing
    // would go unchecked.
    if ([400, 413, 422].includes(response.status)) {
      console.log(`Assay cannot read it: status ${response.status}`)
      return "unreadable"
    }
    const answer = response.ok ? await response.json() : {}
    const action = answer.recommended_action ?? answer.recommendation
    if (action === undefined) {
      console.log(`Assay gave no answer: status ${response.status}`)
      return null
    }
    if (action !== "allow")
      console.log(`Assay recommends ${action}, ${response.headers.get("x-decision-id")}`)
    return action
  } catch (error) {
    // The message is not logged: it could quote what was sent.
    console.log(`Assay gave no answer: ${error.name}`)
    return null
  }
}
