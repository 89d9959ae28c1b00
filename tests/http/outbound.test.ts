import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { bareEnvironment } from "./bare-environment.ts"
import { temporaryDirectory } from "./temporary.ts"
import { assayProgram } from "../../scripts/program.ts"

const temporary = temporaryDirectory()

test(
  "the service opens no connection to anyone, from its start over its answers to its stop",
  { timeout: 120_000 },
  async (context) => {
    if (spawnSync("strace", ["-V"]).status !== 0) {
      if (process.env["CI"] === "true") assert.fail("no strace on this machine")
      context.skip("no strace on this machine")
      return
    }
    const trace = join(temporary, "trace")
    const strace = ["-D", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", trace]
    const child = spawn("strace", [...strace, process.execPath, ...assayProgram(), "serve"], {
      env: {
        ...bareEnvironment(),
        PORT: "0",
        ASSAY_DATA: join(temporary, "data"),
        ASSAY_SHED_DELAY_MS: "10000",
      },
    })
    context.after(() => child.kill("SIGKILL"))
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void (output += text))
    while (!output.includes("Stop with Ctrl-C")) await delay(50)
    const port = /"port":(\d+)/.exec(output)?.[1] ?? ""
    const key = /ask_demo_[0-9A-Za-z]{36}/.exec(output)?.[0] ?? ""
    const post = async (path: string, body: object): Promise<number> => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      return (
        await fetch(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        })
      ).status
    }
    assert.equal(
      await post("/api/v1/risk/score?explain=true", { email: "ana.silva@mail.example" }),
      200,
    )
    assert.equal(await post("/api/v1/risk/score", { email: "someone@gmail.com" }), 200)
    assert.equal(await post("/api/v1/phone-risk", { phone_number: "+61491570156" }), 200)
    child.kill("SIGTERM")
    await once(child, "close")
    const traced = readFileSync(trace, "utf8").split("\n")
    const abroad = traced.filter(
      (line) => /AF_INET6?/.test(line) && !/inet_addr\("127\.|"::1"/.test(line),
    )
    assert.ok(traced.length > 1, "nothing was traced: not even the commands' own socket")
    assert.deepEqual(abroad, [])
  },
)
