import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { resolve } from "node:path"
import { test } from "node:test"
import { startService } from "../http/service.ts"
import { launchChromium } from "./shared-chromium.ts"

const root = resolve(import.meta.dirname, "../..")

const page = `<!doctype html><title>client</title><script type="importmap">{ "imports": {
  "@assay/client": "/client-test/packages/client/src/index.ts",
  "@assay/core/contract": "/client-test/packages/core/src/contract/index.ts",
  "@assay/core/drop/tar": "/client-test/packages/core/src/drop/tar.ts",
  "typebox": "/client-test/node_modules/typebox/build/index.mjs"
} }</script>`

test("the client runs in a browser: refused with a key unless asked for, then scores like anywhere else", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  await using service = await startService()
  const tab = await browser.newPage()
  // The sources as a bundler would hand them out, on the service's own origin.
  await tab.route("**/client-test/**", async (route) => {
    const path = new URL(route.request().url()).pathname.replace("/client-test/", "")
    if (path === "") return route.fulfill({ contentType: "text/html", body: page })
    const source = await readFile(resolve(root, path), "utf8")
    await route.fulfill({
      contentType: "text/javascript",
      body: path.endsWith(".ts") ? stripTypeScriptTypes(source) : source,
    })
  })
  await tab.goto(`${service.baseUrl}/client-test/`)
  const run = async (options: object): Promise<unknown> =>
    await tab.evaluate(
      `import("@assay/client").then(async ({ createClient }) => {
        try {
          const client = createClient(${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.key, timeoutMs: 120_000, ...options })})
          const { risk_score, threat_stage } = await client.scoreEmail("sofia.rossi@mail.example")
          return { risk_score, threat_stage }
        } catch (error) { return error.name + ": " + error.message }
      })`,
    )
  assert.match(String(await run({})), /dangerouslyAllowBrowser/)
  const answer = (await run({ dangerouslyAllowBrowser: true })) as {
    risk_score: number
    threat_stage: string
  }
  assert.equal(answer.threat_stage, "ATTACKED")
  assert.ok(answer.risk_score >= 80)
})
