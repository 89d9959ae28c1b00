import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { build } from "esbuild"
import { sourceLines } from "./source-lines.ts"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "assay-stacks-")))
after(() => rmSync(directory, { recursive: true }))

const lines = [
  "interface Thing { readonly name: string }",
  "function fails(thing: Thing): never {",
  "  throw new TypeError(thing.name)",
  "}",
  "async function later(): Promise<void> {",
  "  await null",
  "  fails({ name: 'torn' })",
  "}",
]

async function built(name: string, end: string): Promise<string> {
  const source = join(directory, `${name}.ts`)
  writeFileSync(source, [...lines, end].join("\n"))
  await build({
    entryPoints: [source],
    outdir: directory,
    bundle: true,
    format: "esm",
    platform: "node",
    sourcemap: "linked",
    sourcesContent: false,
    inject: [join(import.meta.dirname, "mapped-stacks.ts")],
  })
  return join(directory, `${name}.js`)
}

function run(file: string): string {
  const { stderr, stdout } = spawnSync(process.execPath, [file], { encoding: "utf8" })
  return stdout + stderr
}

const caughtEnd =
  "later().catch(async (error) => {\n" +
  `  const { sourceLines } = await import(${JSON.stringify(join(import.meta.dirname, "source-lines.ts"))})\n` +
  "  console.log(error.stack + '\\n----\\n' + sourceLines(error.stack))\n" +
  "})"

test("the printed stack of a built program names lines of its sources, caught or not", async () => {
  const [raw = "", printed = ""] = run(await built("caught", caughtEnd)).split("----")
  // Reading a stack is cheap: nothing is mapped until it is printed.
  assert.match(raw, /^TypeError: torn\n {4}at fails \(file:.*\/caught\.js:\d+:\d+\)\n/)
  assert.match(printed, /^\nTypeError: torn\n/)
  assert.ok(printed.includes(`at fails (${directory}/caught.ts:3:9)`), printed)
  assert.ok(printed.includes(`at later (${directory}/caught.ts:7:3)`), printed)
  assert.ok(!printed.includes("caught.js"), printed)

  for (const [name, end] of [
    ["thrown", "fails({ name: 'torn' })"],
    ["rejected", "void later()"],
  ] as const) {
    const printed = run(await built(name, end))
    assert.ok(printed.includes(`at fails (${directory}/${name}.ts:3:9)`), printed)
  }
})

test("without its map a stack is still a stack", async () => {
  const file = await built("unmapped", caughtEnd)
  rmSync(`${file}.map`)
  const [raw = "", printed = ""] = run(file).split("----")
  assert.equal(printed.trim(), raw.trim())
  assert.equal(sourceLines("no stack at all"), "no stack at all")
})
