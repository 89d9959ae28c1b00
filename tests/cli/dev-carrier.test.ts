import assert from "node:assert/strict"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import { readProviderSettings } from "../../packages/server/src/score/phone/provider-settings.ts"
import type { TrialCarrier } from "../../packages/carrier/src/open-trial-carrier.ts"
import { callApi, tokenFor } from "../../packages/carrier/testing/test-trial-session.ts"
import { trialClient } from "../../packages/carrier/src/trial-client.ts"
import { assay } from "./assay.ts"
import { devCarrier } from "./running-carrier.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-dev-"))
after(() => rmSync(directory, { recursive: true }))

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

test("it prints its numbers and what to do next, and leaves files that a service can start with", async () => {
  const folder = join(directory, "trial")
  const carrier = await devCarrier("--port", "0", "--dir", folder)
  const settingsFile = join(folder, "providers.json")
  const [head, tail] = carrier.out.split("\n\nStart a service")
  const rows = (head ?? "").split("\n").slice(2)
  assert.match(
    carrier.out,
    /^A carrier for trials answers at http:\S+\. Its numbers belong to nobody\.\n\n/,
  )
  assert.equal(rows[0], "NUMBER        SIM SWAP RISK  SHOWS")
  assert.equal(rows[2], "+46701740612  high           SIM changed 2 hours ago")
  assert.equal(
    rows[6],
    "+46701740616  low, unknown   no date, and not for how long the carrier looked",
  )
  const risks = new Set(rows.slice(1).map((row) => row.slice(14, 28).trim()))
  assert.deepEqual([...risks].sort(), ["elevated", "high", "low", "low, unknown", "none"])
  assert.equal(
    tail
      ?.replaceAll(carrier.url, "URL")
      .replaceAll(folder, "DIR")
      .replace(/"2\d{3}-[^"]+Z"/, '"NOW"'),
    ` that asks it, in another terminal:

  ASSAY_PROVIDERS=DIR/providers.json npm start

Let the demo's tenant use it, and ask about a number with the key the service printed:

  npx assay tenants set demo providers=true
  curl -s 'http://localhost:8080/api/v1/phone-risk?explain=true' -H 'Authorization: Bearer KEY' -H 'Content-Type: application/json' -d '{"phone_number":"+46701740612"}'

Change what is so on a line; a new SIM is told to the service at once:

  curl -s -X PUT URL/trial/numbers/+46701740611 -d '{"sim":{"changed_at":"NOW"}}'

Stop with Ctrl-C.
`,
  )
  assert.equal(modeOf(folder), "700")
  assert.deepEqual(readdirSync(folder).sort(), [
    "client-key.pem",
    "notification-token",
    "providers.json",
    "twilio-password",
  ])
  for (const file of readdirSync(folder)) assert.equal(modeOf(join(folder, file)), "600")

  const { camara, twilio } = readProviderSettings(settingsFile)
  const [settings] = camara ?? []
  assert.equal(settings?.base_url, `${carrier.url}/`)
  const place = { url: carrier.url, tokenUrl: settings.token_url } as TrialCarrier
  const keys = trialClient(settings.client_id, readFileSync(settings.private_key_file, "utf8"))
  const token = await tokenFor(place, keys, "sim-swap:retrieve-date")
  const { body } = await callApi(place, "POST", "/sim-swap/v2/retrieve-date", token, {
    phoneNumber: "+46701740612",
  })
  const { latestSimChange } = body as { latestSimChange: string }
  const hours = (Date.now() - Date.parse(latestSimChange)) / 3_600_000
  assert.ok(hours >= 2 && hours < 3)

  const password = readFileSync(twilio?.password_file ?? "", "utf8")
  const lookup = `${twilio?.base_url ?? ""}v2/PhoneNumbers/+61491570006?Fields=line_type_intelligence`
  const authorization = `Basic ${btoa(`${twilio?.user ?? ""}:${password}`)}`
  assert.equal((await fetch(lookup)).status, 401)
  assert.equal((await fetch(lookup, { headers: { authorization } })).status, 200)
  assert.equal(await carrier.stop(), 0)
})

test("a SIM that changes while it runs is notified with the token of the settings", async () => {
  const folder = join(directory, "notified")
  const sink = createServer()
  await new Promise<void>((resolve) => void sink.listen(0, "127.0.0.1", resolve))
  const notified = once(sink, "request") as Promise<Parameters<typeof answer>>
  const notify = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/sink`
  const carrier = await devCarrier("--port", "0", "--dir", folder, "--notify", notify)
  const changed_at = new Date().toISOString()
  const put = await fetch(`${carrier.url}/trial/numbers/+46701740611`, {
    method: "PUT",
    body: JSON.stringify({ sim: { changed_at } }),
  })
  assert.equal(put.status, 200)
  const { authorization, event } = await answer(...(await notified))
  const token = readFileSync(join(folder, "notification-token"), "utf8")
  assert.equal(authorization, `Bearer ${token}`)
  assert.equal(event["time"], changed_at)
  assert.equal((event["data"] as { phoneNumber: string }).phoneNumber, "+46701740611")
  assert.equal(await carrier.stop(), 0)
  sink.close()
  sink.closeAllConnections()
})

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ authorization: string | undefined; event: Record<string, unknown> }> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  response.writeHead(204).end()
  const event = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
  return { authorization: request.headers.authorization, event }
}

test("started again it keeps its keys, and settings that say something else are left alone", async () => {
  const folder = join(directory, "again")
  const first = await devCarrier("--port", "0", "--dir", folder)
  const port = new URL(first.url).port
  const read = (name: string): string => readFileSync(join(folder, name), "utf8")
  const before = readdirSync(folder).map(read)
  const taken = await assay(["dev", "carrier", "--port", port], {})
  assert.deepEqual(
    [taken.code, taken.err],
    [1, `assay: Port ${port} is in use; take another with --port\n`],
  )
  await first.stop()
  const second = await devCarrier("--port", port, "--dir", folder)
  assert.equal(second.url, first.url)
  await second.stop()
  const elsewhere = await assay(["dev", "carrier", "--port", "0", "--dir", folder], {})
  assert.equal(elsewhere.code, 1)
  assert.match(
    elsewhere.err,
    /providers\.json is there already and says something else; name another/,
  )
  assert.deepEqual(readdirSync(folder).map(read), before)
})

test("without a folder it makes one for its owner, which goes when it stops", async () => {
  const carrier = await devCarrier("--port", "0")
  const [, settingsFile = ""] = /ASSAY_PROVIDERS=(\S+)/.exec(carrier.out) ?? []
  assert.equal(modeOf(dirname(settingsFile)), "700")
  assert.equal(await carrier.stop(), 0)
  assert.equal(existsSync(dirname(settingsFile)), false)
})

test("it does not run in production, nor with settings it cannot use", async () => {
  const folder = join(directory, "never")
  const production = await assay(["dev", "carrier", "--dir", folder], { NODE_ENV: "production" })
  assert.deepEqual(
    [production.code, production.out, production.err],
    [1, "", "assay: The carrier for trials makes up its answers; production must not ask it\n"],
  )
  const port = await assay(["dev", "carrier", "--dir", folder, "--port", "70000"], {})
  assert.equal(port.err, "assay: --port takes 0 to 65535; 0 is any that is free\n")
  const notify = await assay(
    ["dev", "carrier", "--dir", folder, "--notify", "http://a.example"],
    {},
  )
  assert.equal(notify.err, "assay: --notify takes an https:// URL, or http:// on this machine\n")
  assert.equal(existsSync(folder), false)
})

test("its help names every option with its default", async () => {
  const { code, out } = await assay(["dev", "carrier", "--help"], {})
  assert.equal(code, 0)
  for (const option of ["--port <port>", "--dir <folder>", "--notify <url>"])
    assert.ok(out.includes(option))
  assert.match(out, /default: "9091"/)
})
