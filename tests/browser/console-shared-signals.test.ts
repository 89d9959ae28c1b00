// Streams of Shared Signals in the console, in a real browser and with a receiver that takes
// tokens.
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { test } from "node:test"
import { text } from "node:stream/consumers"
import { decodeJwt, decodeProtectedHeader } from "jose"
import { ALL_RULES } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import { looks, member, open, origin, useConsole } from "./console.ts"

useConsole()

test("an owner makes a stream, verifies it, holds it, sees why it fails, and deletes it", async (context) => {
  if (!isPresent(context)) return
  const tokens: string[] = []
  let status = 202
  const receiver = createServer((request, response) => {
    void text(request).then((token) => {
      assert.equal(request.headers["content-type"], "application/secevent+jwt")
      assert.equal(request.headers.authorization, "Bearer from-the-owner")
      if (status === 202) tokens.push(token)
      response.writeHead(status).end()
    })
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  context.after(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/shared-signals`)
  await page.getByText("There is no stream yet.").waitFor()
  await page.getByText("/.well-known/ssf-configuration").waitFor()
  await looks(page, "shared-signals-empty", { rules: ALL_RULES })

  const form = page.locator("details", { hasText: "Make a stream" })
  await form.getByLabel("Note").fill("our identity provider")
  await form.getByRole("textbox", { name: "URL" }).fill(`http://127.0.0.1:${port}/events`)
  await form.getByLabel("Authorization").fill("Bearer from-the-owner")
  await form.getByLabel("Issuer of your names").fill("https://login.example.com")
  // What has others do something is not chosen for anybody.
  assert.equal(await form.getByLabel("session-revoked").isChecked(), false)
  await form.getByLabel("session-revoked").check()
  await form.getByRole("button", { name: "Make stream" }).click()
  await page.getByRole("heading", { level: 1, name: "Stream" }).waitFor()
  await page.getByText("Enabled. What happens is told.").waitFor()
  assert.equal(await page.getByText("from-the-owner").count(), 0)

  await page.getByRole("button", { name: "Verify" }).click()
  await page.getByText(/^Taken /).waitFor()
  const events = tokens.map((token) => Object.keys(decodeJwt(token)["events"] as object)[0])
  assert.ok(events.includes("https://schemas.openid.net/secevent/ssf/event-type/verification"))
  assert.equal(decodeProtectedHeader(tokens[0] ?? "").typ, "secevent+jwt")
  await looks(page, "shared-signals-stream", { rules: ALL_RULES })

  status = 503
  await page.getByRole("button", { name: "Pause stream" }).click()
  const notice = page.getByRole("status").filter({ hasText: "The last attempt failed" })
  await notice.getByText(/answered 503/i).waitFor()
  await looks(page, "shared-signals-fault")
  status = 202
  await page.getByRole("button", { name: "Enable stream" }).click()
  await page.getByText("Enabled. What happens is told.").waitFor()
  await page.getByRole("link", { name: "All streams" }).click()
  const table = page.getByRole("region", { name: "Streams" })
  await table.getByRole("row", { name: /our identity provider/ }).waitFor()
  await looks(page, "shared-signals-used", { wholeTables: true })
  await table.getByRole("link", { name: "our identity provider" }).click()
  await page.getByRole("button", { name: "Delete stream" }).click()
  const dialog = page.getByRole("dialog")
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
  await dialog.getByLabel(`Type ${id} to confirm`).fill(id)
  await dialog.getByRole("button", { name: "Delete stream" }).click()
  await page.getByText("There is no stream yet.").waitFor()
  assert.deepEqual(faults, [])
})
