import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { build } from "esbuild"

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

test("the stack of a built program names lines of its sources, caught or not", async () => {
  const caught = run(await built("caught", "later().catch((error) => console.log(error.stack))"))
  assert.match(caught, /^TypeError: torn\n/)
  assert.ok(caught.includes(`at fails (${directory}/caught.ts:3:9)`), caught)
  assert.ok(caught.includes(`at later (${directory}/caught.ts:7:3)`), caught)
  assert.ok(!caught.includes("caught.js"), caught)

  const uncaught = run(await built("uncaught", "await later()"))
  assert.ok(uncaught.includes(`at fails (${directory}/uncaught.ts:3:9)`), uncaught)
})

test("without its map, and for an error that cannot be printed, a stack is still a stack", async () => {
  const file = await built("unmapped", "later().catch((error) => console.log(error.stack))")
  rmSync(`${file}.map`)
  const unmapped = run(file)
  assert.match(unmapped, /^TypeError: torn\n {4}at fails \(file:.*\/unmapped\.js:\d+:\d+\)\n/)

  const odd = await built(
    "odd",
    "const e = new Error('x'); e.toString = () => { throw 1 }; console.log(e.stack)",
  )
  assert.match(run(odd), /^<error>\n {4}at .*odd\.ts:9:11/)
})
