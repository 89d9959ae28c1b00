import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { test } from "node:test"
import { pathToFileURL } from "node:url"

const module = pathToFileURL(join(import.meta.dirname, "passphrase.ts")).href
const program = `
  const { readPassphrase } = await import("${module}")
  process.stdin.setEncoding("utf8")
  const passphrase = await readPassphrase("Passphrase: ", undefined, process)
  let rest = ""
  for await (const chunk of process.stdin) rest += chunk
  console.log(String(passphrase === "five random words"), rest)
`
const asked = `'${process.execPath}' --conditions=source --input-type=module -e "$PROGRAM"`

// `script` of util-linux gives a command a terminal; the one of BSD takes other arguments.
const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0

test(
  "a passphrase is asked for at the terminal while the standard input holds the reply",
  { skip: !hasScript },
  async () => {
    const child = spawn("script", ["-qec", `echo 'Thank you.' | ${asked}`, "/dev/null"], {
      env: { ...process.env, PROGRAM: program },
    })
    let shown = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (!shown.includes("Passphrase: ") && (shown + chunk).includes("Passphrase: "))
        child.stdin.write("five random words\r")
      shown += chunk
    })
    await once(child, "close")
    assert.match(shown, /true Thank you\./)
    assert.doesNotMatch(shown, /random/)
  },
)

test(
  "without any terminal the way to hand a passphrase over is named",
  { skip: !hasScript },
  () => {
    const { stderr, status } = spawnSync("setsid", ["-w", "sh", "-c", asked], {
      env: { ...process.env, PROGRAM: program },
      input: "Thank you.",
      encoding: "utf8",
    })
    assert.equal(status, 1)
    assert.match(stderr, /there is no terminal to ask at; --passphrase-file names a file with it/)
  },
)
