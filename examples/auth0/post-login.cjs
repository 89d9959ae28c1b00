// An Auth0 Action of the trigger Post Login: asks for another factor, or refuses the sign-in, as
// Assay recommends. Secrets: ASSAY_URL, ASSAY_KEY, and ASSAY_FAIL_CLOSED if everybody is to be
// asked for another factor while Assay is away.

exports.onExecutePostLogin = async (event, api) => {
  const { ASSAY_URL: url, ASSAY_KEY: key, ASSAY_TIMEOUT_MS: timeoutMs } = event.secrets
  const failClosed = event.secrets.ASSAY_FAIL_CLOSED === "true"
  const identity = event.user.email ?? event.user.phone_number
  // With a refresh token nobody sits in front of the screen who could be asked for a factor.
  if (!identity || event.transaction?.protocol === "oauth2-refresh-token") return
  const action = await recommended({ url, key, timeoutMs }, identity, {
    event: "login",
    ip: event.request.ip || null,
    user_agent: event.request.user_agent?.slice(0, 1024) || null,
    account_id: event.user.user_id,
  })
  if (action === "block") {
    // Probably not the owner, who needs a way back: name the one your people have.
    api.access.deny("This sign-in was refused. Reset your password or contact support.")
    return
  }
  const proven = event.authentication?.methods.some(({ name }) => name === "mfa")
  const asks = action === null ? failClosed : action !== "allow"
  if (asks && !proven) api.multifactor.enable("any", { allowRememberBrowser: false })
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
