import assert from "node:assert/strict"
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, suite, test } from "node:test"
import { root } from "../../scripts/repository.ts"

// The real launcher in a checkout of its own, whose main.ts prints what it was given.
const main = `
const [verb, ...rest] = process.argv.slice(2)
if (verb === "tell") console.log(JSON.stringify({ rest, flags: process.execArgv }))
if (verb === "fail") process.exitCode = 7
if (verb === "die") process.kill(process.pid, "SIGKILL")
if (verb === "wait") {
  const alive = setInterval(() => undefined, 1000)
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      console.log(signal)
      if (signal !== "SIGHUP") clearInterval(alive)
    })
  }
  console.log("ready")
}
`

suite("the assay launcher in a checkout", () => {
  const checkout = mkdtempSync(join(tmpdir(), "assay-launcher-"))
  const server = join(checkout, "packages", "server")
  const assay = join(server, "bin", "assay.js")
  for (const folder of ["bin", "src"]) mkdirSync(join(server, folder), { recursive: true })
  for (const file of ["assay.js", "checkout.js"])
    copyFileSync(join(root, "packages", "server", "bin", file), join(server, "bin", file))
  writeFileSync(join(server, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(server, "src", "main.ts"), main)
  // Makes Node report an old version: the launcher's answer is tested, not Node.
  const pretence = `Object.defineProperty(process, "versions", { value: { node: "24.6.9" } })`
  const asOldNode = ["--import", `data:text/javascript,${encodeURIComponent(pretence)}`]

  const run = (args: string[], nodeFlags: string[] = []): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [...nodeFlags, assay, ...args], { encoding: "utf8" })

  after(() => rmSync(checkout, { recursive: true }))

  test("hands on the arguments as they are and runs from sources", () => {
    const { stdout } = run(["tell", "a b", "--flag", "$HOME"])
    assert.deepEqual(JSON.parse(stdout), {
      rest: ["a b", "--flag", "$HOME"],
      flags: ["--conditions=source"],
    })
  })

  test("runs what was built from these sources, and the sources once one of them is newer", () => {
    const built = join(server, "built")
    mkdirSync(built)
    writeFileSync(join(built, "main.js"), `console.log("built")`)
    const [before, later] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)]
    utimesSync(join(server, "src", "main.ts"), before, before)
    assert.equal(run(["tell"]).stdout, "built\n")
    utimesSync(join(server, "src", "main.ts"), later, later)
    assert.match(run(["tell"]).stdout, /"rest":\[\]/)
    rmSync(built, { recursive: true })
  })

  test("ends as the command ended", () => {
    assert.equal(run(["tell"]).status, 0)
    assert.equal(run(["fail"]).status, 7)
    assert.equal(run(["die"]).signal, "SIGKILL")
  })

  test("hands on signals, each once", async () => {
    const launcher = spawn(process.execPath, [assay, "wait"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const lines: string[] = []
    const waitFor = async (line: string): Promise<void> => {
      while (!lines.includes(line)) {
        const [chunk] = (await once(launcher.stdout, "data")) as [Buffer]
        lines.push(...chunk.toString().trim().split("\n"))
      }
    }
    await waitFor("ready")
    launcher.kill("SIGHUP")
    await waitFor("SIGHUP")
    const ended = once(launcher, "exit")
    launcher.kill("SIGTERM")
    await waitFor("SIGTERM")
    assert.deepEqual(await ended, [0, null])
    assert.deepEqual(lines, ["ready", "SIGHUP", "SIGTERM"])
  })

  test("refuses an old Node with one sentence", () => {
    const { status, stdout, stderr } = run(["tell"], asOldNode)
    assert.equal(status, 1)
    assert.equal(stdout, "")
    assert.equal(stderr, "assay needs Node 24.7 or newer; this is Node 24.6.9.\n")
  })

  test("uses the repository's Node where the machine's is old", () => {
    const tools = join(checkout, "node_modules", ".bin")
    mkdirSync(tools, { recursive: true })
    symlinkSync(process.execPath, join(tools, "node"))
    assert.equal(run(["fail"], asOldNode).status, 7)
  })
})
