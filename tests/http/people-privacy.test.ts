import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { totpCode, totpStepAt } from "../../packages/server/src/people/totp.ts"
import { assay } from "../cli/assay.ts"
import { startService } from "./service.ts"
import { printedToken, tokenIn, visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

test("addresses, passwords, links, sessions and codes are in no file and no log, and errors quote none", async () => {
  const data = join(temporary, "data")
  const service = await startService({
    dataDirectory: data,
    args: ["--workers", "1"],
    env: { ASSAY_LOG_LEVEL: "debug" },
  })
  const password = "canary-violet-harbour-41"
  const email = "canary.person@people.example"
  const token = printedToken(service)
  const errors: string[] = []
  const browser = visitor(service)
  const send = async (method: string, path: string, json?: unknown) => {
    const answer = await browser.send(method, path, json)
    if (answer.status >= 400) errors.push(JSON.stringify(answer.body))
    return answer.body as Record<string, unknown>
  }
  await send("POST", "/api/v1/join", { token, name: "Ada", email, password: "canary" })
  await send("POST", "/api/v1/join", { token, name: "Ada", email: "canary@", password })
  await send("POST", "/api/v1/join", { token, name: "Ada", email, password })
  const first = browser.cookies.get("__Host-assay-session") ?? ""
  const start = await send("POST", "/api/v1/me/totp/start")
  const secret = String(start["secret"])
  await send("POST", "/api/v1/me/totp", { step: start["step"], code: "000000" })
  const code = totpCode(secret, totpStepAt(Date.now()))
  const { recovery_codes: codes } = await send("POST", "/api/v1/me/totp", {
    step: start["step"],
    code,
  })
  const { link } = await send("POST", "/api/v1/members/invitations", { role: "administrator" })
  const { step } = await send("POST", "/api/v1/session", { email, password })
  await send("POST", "/api/v1/session/second-step", { step, code: (codes as string[])[0] })
  await send("POST", "/api/v1/session", { email, password: `${password}-wrong` })
  await send("GET", "/api/v1/me")
  await send("GET", "/api/v1/session")
  const listed = await assay(["people", "list"], { ASSAY_DATA: data })
  assert.match(listed.out, / Ada +c…@people\.example +administrator /)
  const backup = join(temporary, "backup")
  const backedUp = await assay(["backup", backup], { ASSAY_DATA: data })
  assert.equal(backedUp.code, 0, backedUp.err)
  const audit = await assay(["audit", "export"], { ASSAY_DATA: data })

  const canaries = {
    email,
    password,
    token,
    secret,
    link: tokenIn(String(link)),
    first,
    second: browser.cookies.get("__Host-assay-session") ?? "",
    csrf: browser.csrf,
    device: browser.cookies.get("__Host-assay-device") ?? "",
    recovery: (codes as string[])[1] ?? "",
    step: String(step),
  }
  const find = (where: string, bytes: Buffer): void => {
    for (const [name, canary] of Object.entries(canaries)) {
      assert.ok(canary.length >= 14, name)
      assert.ok(!bytes.includes(canary), `${name} is in ${where}`)
      assert.ok(!bytes.includes(Buffer.from(canary).toString("base64")), `${name} is in ${where}`)
    }
  }
  find("the answers of failures", Buffer.from(errors.join("\n")))
  assert.ok(errors.length >= 4)
  find("the audit trail", Buffer.from(audit.out))
  assert.match(audit.out, /"action":"session\.open"/)
  const files = () => {
    for (const folder of [data, backup])
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) find(entry.name, readFileSync(join(entry.parentPath, entry.name)))
  }
  files()
  await service.stop()
  files()
  find("the log", Buffer.from(service.stderr()))
  assert.match(service.stderr(), /"route":"\/api\/v1\/session"/)
})
