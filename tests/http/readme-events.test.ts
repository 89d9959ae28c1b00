// Follows the README's commands from a change of a SIM to the line of the alert, as they stand
// there.
import assert from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { test } from "node:test"
import { promisify } from "node:util"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import { assayProgram } from "../../scripts/program.ts"
import { root } from "../../scripts/repository.ts"
import { devCarrier } from "../cli/running-carrier.ts"
import { bareEnvironment } from "./bare-environment.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const SERVICE = "http://localhost:8080"
const CARRIER = "http://127.0.0.1:9091"
const RECEIVER = /^\S+Z {2}(\S+) {2}(evt_\w+) {2}(\{.*\})$/

/** Blocks of code of one section of the README, in order. */
function blocksOf(title: string, language: string): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? ""
  const blocks = section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)
  return [...blocks].flatMap(([, of, text = ""]) => (of === language ? [text.trim()] : []))
}

/** The arguments after `npx assay`, of a line of the README. */
function argumentsOf(line: string | undefined): string[] {
  const [, args] = /^npx assay ([^#]*)/.exec(line ?? "") ?? assert.fail(`no command: ${line}`)
  return (args ?? "").trim().split(/ +/)
}

test("a SIM change becomes an alert in `assay dev receiver`, by the README alone", async (context) => {
  const [servers = "", receiving = "", watching = "", changing = "", ...rest] = blocksOf(
    "Hear of changes",
    "sh",
  )
  assert.deepEqual(rest, [])
  const [carrierLine, startLine] = servers.split("\n")
  const port = await freePort()
  const folder = join(temporaryDirectory(), "trial")
  const carrierArguments = argumentsOf(carrierLine)
  assert.deepEqual(carrierArguments, ["dev", "carrier", "--dir", "./trial"])
  const carrier = await devCarrier(
    ...["--port", "0", "--dir", folder],
    ...["--notify", `http://127.0.0.1:${port}/api/v1/carrier/notifications`],
  )
  assert.match(startLine ?? "", /^ASSAY_PROVIDERS=\.\/trial\/providers\.json npm start\b/)
  const service = await startService({
    env: { ASSAY_PROVIDERS: join(folder, "providers.json"), PORT: String(port) },
  })
  const env = { ...bareEnvironment(), ASSAY_API_KEY: service.key ?? "" }

  const [exported, receiverLine] = receiving.split("\n")
  assert.match(exported ?? "", /^export ASSAY_API_KEY=ask_demo_…/)
  const here = ["--port", "0", "--url", service.baseUrl]
  const args = [...assayProgram(), ...argumentsOf(receiverLine), ...here]
  const receiver = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] })
  // A test that failed would otherwise keep its process running.
  context.after(() => receiver.kill("SIGKILL"))
  const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]()
  const arrived = async (): Promise<{ type: string; data: Alert }> => {
    const line = String((await lines.next()).value)
    const [, type = "", , data = ""] = RECEIVER.exec(line) ?? assert.fail(line)
    return { type, data: JSON.parse(data) as Alert }
  }
  assert.match(String((await lines.next()).value), /^Events of \S+ arrive at /)
  // The first event, as soon as the receiver runs.
  assert.equal((await arrived()).type, "webhook.test")

  const run = async (script: string): Promise<string> => {
    const moved = script.replaceAll(SERVICE, service.baseUrl).replaceAll(CARRIER, carrier.url)
    assert.notEqual(moved, script)
    return (await promisify(execFile)("sh", ["-c", moved], { env })).stdout
  }
  const watched = JSON.parse(await run(watching)) as { added: number }
  assert.equal(watched.added, 1)
  await scored(service, "customer-17")
  await run(changing)
  const { type, data } = await arrived()
  assert.equal(type, "risk.phone.changed")

  assert.deepEqual([data.ref, data.cause], ["customer-17", "carrier"])
  assert.ok(data.current.risk_score > data.previous.risk_score)
  // The README shows what came.
  const shown = blocksOf("Hear of changes", "text").join("\n").split("\n").at(-1) ?? ""
  const [, shownType, , shownData = ""] = RECEIVER.exec(shown) ?? assert.fail(shown)
  assert.deepEqual([shownType, JSON.parse(shownData)], [type, data])

  receiver.kill("SIGINT")
  assert.deepEqual(await once(receiver, "exit"), [0, null])
  assert.equal(await service.stop(), 0)
  assert.equal(await carrier.stop(), 0)
})

interface Alert {
  readonly ref: string
  readonly cause: string
  readonly previous: { readonly risk_score: number }
  readonly current: { readonly risk_score: number }
}

/** Waits for the first score: what is told is a change of it. */
async function scored(
  { request }: Pick<Awaited<ReturnType<typeof startService>>, "request">,
  ref: string,
): Promise<void> {
  for (const deadline = Date.now() + 60_000; ;) {
    const page = await request(`/api/v1/watchlist?ref=${ref}`)
    const { items } = (await page.json()) as { items: { risk: object | null }[] }
    if (items[0]?.risk != null) return
    assert.ok(Date.now() < deadline, "it was never scored")
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
