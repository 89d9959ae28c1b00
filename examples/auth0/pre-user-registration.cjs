// An Auth0 Action of the trigger Pre User Registration: refuses sign-ups that Assay says to block.
// Secrets: ASSAY_URL, ASSAY_KEY, and ASSAY_FAIL_CLOSED if sign-ups must wait while Assay is away.

exports.onExecutePreUserRegistration = async (event, api) => {
  const { ASSAY_URL: url, ASSAY_KEY: key, ASSAY_TIMEOUT_MS: timeoutMs } = event.secrets
  const failClosed = event.secrets.ASSAY_FAIL_CLOSED === "true"
  const identity = event.user.email ?? event.user.phone_number
  if (!identity) return
  const action = await recommended({ url, key, timeoutMs }, identity, {
    event: "sign-up",
    ip: event.request.ip || null,
    user_agent: event.request.user_agent?.slice(0, 1024) || null,
  })
  if (action === "block" || action === "unreadable")
    api.access.deny("assay_block", "This account cannot be created. Please contact support.")
  else if (action === null && failClosed)
    api.access.deny("assay_unavailable", "Sign-up is not possible now. Please try again later.")
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
