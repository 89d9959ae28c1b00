import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { readConfig } from "../base/config.ts"
import { openLog } from "@assay/runtime/log"
import { startDrop } from "./drop-child.ts"

/** A drop that dies once it is ready, and whose successor takes for ever to start. */
const dyingIn = (folder: string): string => `
  const { existsSync, writeFileSync } = require("node:fs")
  const at = (name) => ${JSON.stringify(folder)} + "/" + name
  setInterval(() => undefined, 1000)
  if (existsSync(at("first"))) writeFileSync(at("second"), String(process.pid))
  else {
    writeFileSync(at("first"), "")
    const args = [{ port: null, addresses: [] }]
    process.send({ rpc: "call", id: 1, method: "ready", args })
    process.on("message", (message) => message.rpc && process.exit(1))
  }
`

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test("a drop that is just being started when the service stops does not outlive the stop", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-drop-child-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const program = {
    execPath: process.execPath,
    execArgv: ["-e", dyingIn(folder)],
    env: { PATH: process.env["PATH"] },
    argv: [],
  }
  const drop = await startDrop({
    program,
    settings: {
      drop: readConfig({}).drop,
      host: null,
      folder,
      stopSeconds: 1,
      logLevel: "error",
      version: "0.0.0",
    },
    stopMs: 100,
    silentMs: 600_000,
    tellDigest: async () => undefined,
    log: openLog("error"),
  })
  const file = join(folder, "second")
  for (
    const endsAt = performance.now() + 300_000;
    !existsSync(file) || !readFileSync(file).length;
  ) {
    assert.ok(performance.now() < endsAt, "no other is started")
    await delay(20)
  }
  const pid = Number(readFileSync(file, "utf8"))
  t.after(() => {
    if (runs(pid)) process.kill(pid, "SIGKILL")
  })
  await drop.stop()
  assert.equal(runs(pid), false, "it would take the port of the next service")
})
