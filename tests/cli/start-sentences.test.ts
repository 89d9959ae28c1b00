import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { test } from "node:test"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay } from "./assay.ts"

const temporary = temporaryDirectory()
const isRoot = process.getuid?.() === 0
const asRoot = { skip: !isRoot && "needs root to make what another user owns" }
const SECRET = `${"5a".repeat(32)}\n`

const serve = (env: Record<string, string>): ReturnType<typeof assay> =>
  assay(["serve"], { PORT: "0", DROP: "off", ...env })

test("a secret that others can read is refused with the command that mends it", async () => {
  const file = join(temporary, "secret")
  for (const [mode, shown] of [
    [0o644, "0644"],
    [0o640, "0640"],
    [0o602, "0602"],
  ] as const) {
    writeFileSync(file, SECRET)
    chmodSync(file, mode)
    const { code, out, err } = await serve({
      ASSAY_DATA: join(temporary, "data"),
      ASSAY_SECRET_FILE: file,
    })
    assert.equal(code, 1)
    const printed = err.split("\n").find((line) => line.startsWith("assay:"))
    assert.equal(
      printed,
      `assay: The master secret ${file} can be read by others (mode ${shown}). Run: chmod 600 ${file}`,
    )
    assert.doesNotMatch(out + err, /5a5a|at .*\.ts/)
  }
})

test("a directory of another user is refused, also for root", asRoot, async () => {
  const data = join(temporary, "others")
  mkdirSync(data)
  chownSync(data, 12_345, 12_345)
  const { code, err } = await serve({ ASSAY_DATA: data })
  assert.equal(code, 1)
  assert.match(
    err,
    /^assay: \S+ belongs to user 12345, and this is user 0\. Run Assay as that user, or: chown -R 0 \S+$/m,
  )
  assert.doesNotMatch(err, /at .*\.ts/)
})

test("what is no directory is named as such", async () => {
  const data = join(temporary, "a file")
  writeFileSync(data, "")
  const { code, err } = await serve({ ASSAY_DATA: data })
  assert.equal(code, 1)
  assert.match(err, /^assay: .* is not a directory\. Name one with ASSAY_DATA\.$/m)
})

for (const [setting, others] of [
  ["PORT", { DROP: "off" }],
  ["DROP_PORT", { PORT: "0", DROP: "on" }],
  ["ASSAY_METRICS_PORT", { PORT: "0", DROP: "off" }],
] as const)
  test(`a ${setting} that is taken is one sentence`, async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const data = join(temporary, setting)
    const { code, err } = await assay(["serve"], {
      ASSAY_DATA: data,
      ...others,
      [setting]: String(port),
    })
    other.close()
    assert.equal(code, 1)
    const [starting, sentence, ...rest] = err.trimEnd().split("\n")
    assert.match(starting ?? "", /^Starting on /)
    assert.equal(
      sentence,
      `assay: Port ${port} is taken on 127.0.0.1; stop what listens there, or set ${setting} to another port`,
    )
    assert.deepEqual(rest, [])
  })

test("a directory on a read-only file system is a sentence", asRoot, async (t) => {
  const data = join(temporary, "read-only")
  mkdirSync(data)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro,mode=700", "tmpfs", data], { stdio: "ignore" })
  } catch {
    t.skip("may not mount")
    return
  }
  try {
    for (const command of [["serve"], ["keys", "list"]]) {
      const { code, err } = await assay(command, { ASSAY_DATA: data, DROP: "off", PORT: "0" })
      assert.equal(code, 1)
      assert.match(err, /^assay: \S+ is on a file system that is mounted read-only\. /m)
      assert.doesNotMatch(err, /at .*\.ts/)
    }
  } finally {
    execFileSync("umount", [data])
  }
})
