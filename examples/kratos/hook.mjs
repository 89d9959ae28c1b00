// The service behind two web_hooks of Ory Kratos, after registration and after login. 204 lets the
// flow go on; 403 with messages interrupts it, and Kratos shows the text in the form.
// Environment: ASSAY_URL, ASSAY_KEY, HOOK_SECRET (the value of the hook's api_key), PORT, and
// ASSAY_FAIL_CLOSED=true to interrupt while Assay is away.
import { createHash, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { isIP } from "node:net"

const { ASSAY_URL: url, ASSAY_KEY: key, ASSAY_TIMEOUT_MS: timeoutMs } = process.env
const { ASSAY_FAIL_CLOSED, HOOK_SECRET, PORT } = process.env
if (!url || !key || !HOOK_SECRET) throw new Error("ASSAY_URL, ASSAY_KEY and HOOK_SECRET are needed")

const BODY_MAX = 64 * 1024
const REFUSED = 4_600_001
const AWAY = 4_600_002

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || !isKratos(request.headers.authorization)) {
    response.writeHead(401).end()
    return
  }
  try {
    const interruption = await interruptionFor(JSON.parse(await textOf(request)))
    if (interruption === null) response.writeHead(204).end()
    else
      response
        .writeHead(403, { "content-type": "application/json" })
        .end(JSON.stringify(interruption))
  } catch {
    response.writeHead(400).end()
  }
})
server.listen(Number(PORT ?? 3000), () => console.log(`Listening on ${server.address().port}`))

/** Takes what body.jsonnet makes of a flow; null lets the flow go on. */
async function interruptionFor({ identity, event, account_id, ip, user_agent }) {
  if (!identity) return null
  const action = await recommended({ url, key, timeoutMs }, identity, {
    event,
    account_id,
    ip: isIP(ip ?? "") ? ip : null,
    user_agent: user_agent?.slice(0, 1024) || null,
  })
  if (action === "block" || (action === "unreadable" && event === "sign-up"))
    return message(REFUSED, "This was refused. Please contact support.")
  if (action === null && ASSAY_FAIL_CLOSED === "true")
    return message(AWAY, "This is not possible now. Please try again later.")
  return null
}

function message(id, text) {
  return { messages: [{ instance_ptr: "#/", messages: [{ id, text, type: "error" }] }] }
}

function isKratos(given = "") {
  const [a, b] = [given, HOOK_SECRET].map((text) => createHash("sha256").update(text).digest())
  return timingSafeEqual(a, b)
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
