#!/usr/bin/env node
// Starts the command line: from dist in the published package, from what was built or from the
// TypeScript sources in the checkout. Kept to syntax that old Node versions parse, so that they get
// a sentence and not a trace.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const checkout = fileURLToPath(new URL("../../..", import.meta.url))
const source = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const repositoryNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))

if (!existsSync(source)) {
  requireCurrentNode()
  await import("../dist/main.js")
} else if (existsSync(repositoryNode)) {
  // The Node the lockfile pins, whatever the machine has.
  await runCheckout(repositoryNode)
} else {
  requireCurrentNode()
  await runCheckout(process.execPath)
}

/** Ends the process with a sentence when this Node is older than the package's `engines`. */
function requireCurrentNode() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > 24 || (major === 24 && minor >= 7)) return
  console.error(`assay needs Node 24.7 or newer; this is Node ${process.versions.node}.`)
  process.exit(1)
}

/** Runs the program as a child, and ends as it ends. */
async function runCheckout(node) {
  const { programOf } = await import("./checkout.js")
  const args = ["--conditions=source", programOf(checkout), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: "inherit" })
  const forward = (signal) => {
    // A terminal sends Ctrl-C to the child as well; a second one would cut its orderly end short.
    if (signal === "SIGINT" && process.stdin.isTTY) return
    child.kill(signal)
  }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  for (const signal of signals) process.on(signal, forward)
  child.on("error", (error) => {
    console.error(`assay could not start ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeListener(name, forward)
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
}
