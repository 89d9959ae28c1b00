// What browsers get from the drop: that anyone can build it again, and what is and is not in it.
import assert from "node:assert/strict"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { build } from "esbuild"
import { ageVectorsSuite } from "../../packages/core/testing/drop/age-vectors-suite.ts"
import { type BrowserBuild, buildBrowserFiles, manifestOf } from "../../scripts/browser-files.ts"
import { leanAge } from "../../scripts/lean-age.ts"
import { readRepositoryJson, root } from "../../scripts/repository.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-browser-"))
after(() => rmSync(folder, { recursive: true, force: true }))

let built: BrowserBuild
before(async () => {
  built = await buildBrowserFiles(root)
})

/** The scripts of a sender's page and of its worker. */
const senderScripts = ["sender-en", "sender-fr", "sender-es", "worker"]

function textOf(name: string): string {
  const file = built.files.find((each) => each.name === name)
  assert.ok(file !== undefined, name)
  return new TextDecoder().decode(file.bytes)
}

test("T55: sources in another folder, built again, give the same bytes under the same names", async () => {
  const copy = join(folder, "another", "place")
  const parts = ["client", "console", "core", "drop"]
  for (const part of parts)
    cpSync(join(root, "packages", part), join(copy, "packages", part), { recursive: true })
  // The libraries come from the lockfile; our own packages from the copy.
  mkdirSync(join(copy, "node_modules", "@assay"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@assay")
      symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name))
  for (const part of parts)
    symlinkSync(join(copy, "packages", part), join(copy, "node_modules", "@assay", part))
  const again = await buildBrowserFiles(copy)
  assert.deepEqual(manifestOf(again.files), manifestOf(built.files))
  assert.deepEqual(
    again.files.map(({ bytes }) => Buffer.from(bytes).toString("hex")),
    built.files.map(({ bytes }) => Buffer.from(bytes).toString("hex")),
  )
})

test("T55: the published list names the sum of every file, and nothing else", () => {
  const page = readFileSync(join(root, "docs", "reference", "drop-files.md"), "utf8")
  const listed = [...page.matchAll(/^\| `([^`]+)` +\| [\d,]+ +\| `([0-9a-f]{64})` \|$/gm)].map(
    ([, file, sha256]) => ({ file, sha256 }),
  )
  assert.deepEqual(
    listed,
    Object.values(manifestOf(built.files)).map(({ file, sha256 }) => ({ file, sha256 })),
  )
})

test("T55: the name of a file holds its hash, and the script names its worker and its word lists itself", () => {
  for (const { file, sha256, integrity } of Object.values(manifestOf(built.files))) {
    assert.equal(integrity, `sha256-${Buffer.from(sha256, "hex").toString("base64")}`)
    if (file !== "offline.html") assert.equal(file.split(".").at(-2), sha256.slice(0, 16))
  }
  const manifest = manifestOf(built.files)
  for (const name of senderScripts.filter((each) => each !== "worker")) {
    const script = textOf(name)
    assert.ok(script.includes(`/drop/files/${manifest["worker"]?.file ?? "-"}`), name)
    // The list of its own language is inside.
    const own = name.replace("sender", "words")
    for (const [list, { file, integrity }] of Object.entries(manifest))
      if (list.startsWith("words-"))
        assert.equal(script.includes(file) && script.includes(integrity), list !== own)
  }
})

test("T56: page script and worker are under 60 kB together, packed, in every language", () => {
  const manifest = manifestOf(built.files)
  const packed = (name: string): number => manifest[name]?.gzip ?? Number.NaN
  for (const sender of ["sender-en", "sender-fr", "sender-es"]) {
    const together = packed(sender) + packed("worker")
    assert.ok(together < 60_000, `${sender} and worker are ${together} bytes`)
  }
})

test("T56, T12: no WebAssembly, no code from text, no weak randomness, no other origin and no map in any script", () => {
  for (const name of [...senderScripts, "offline"]) {
    const text = textOf(name)
    for (const banned of [
      /WebAssembly/,
      /\beval\s*\(/,
      /\bnew\s+Function\b/,
      /\bFunction\s*\(/,
      /Math\.random/,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
      /localStorage|sessionStorage|indexedDB|document\.cookie|serviceWorker/,
      /https?:\/\/|wss?:\/\//,
      /sourceMappingURL/,
      /\bimport\s*\(/,
    ])
      assert.doesNotMatch(text, banned, name)
  }
})

test("T12: the scripts of the inbox make no code and no HTML from text, and no secret from weak randomness", () => {
  for (const name of ["inbox", "inbox-worker"]) {
    const text = textOf(name)
    for (const banned of [
      /WebAssembly/,
      /\beval\s*\(/,
      /\bnew\s+Function\b/,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/,
      /sessionStorage|indexedDB|document\.cookie|serviceWorker/,
      /sourceMappingURL/,
    ])
      assert.doesNotMatch(text, banned, name)
  }
  // The page has it, for the pauses between attempts of the client; whatever is secret is made in
  // the worker.
  assert.doesNotMatch(textOf("inbox-worker"), /Math\.random/)
})

test("T56: every library in the scripts is pinned by its hash in the lockfile and runs nothing when it is installed", () => {
  const { packages } = readRepositoryJson("package-lock.json") as {
    packages: Readonly<
      Record<string, { readonly integrity?: string; readonly hasInstallScript?: boolean }>
    >
  }
  const ofSenders = new Set<string>()
  for (const [name, { inputs }] of built.inputs) {
    for (const path of Object.keys(inputs)) {
      assert.doesNotMatch(path, /\.(wasm|node)$/)
      const library = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
      if (library === undefined) {
        assert.match(path, /^(packages\/(client|console|core|drop)\/src\/|<define:)/)
        continue
      }
      assert.match(packages[library]?.integrity ?? "", /^sha512-/, library)
      assert.notEqual(packages[library]?.hasInstallScript, true, library)
      if (senderScripts.includes(name)) ofSenders.add(library)
    }
  }
  // A library more is one more to trust with what people write: it is added here knowingly or not
  // at all.
  assert.deepEqual([...ofSenders].sort(), [
    "node_modules/@noble/ciphers",
    "node_modules/@noble/curves",
    "node_modules/@noble/hashes",
    "node_modules/@noble/post-quantum",
    "node_modules/@scure/base",
    "node_modules/age-encryption",
    "node_modules/altcha-lib",
  ])
})

// Passphrases are among the parts that are left out.
ageVectorsSuite(
  "the parts of it that are in the sender's worker",
  loadLeanAge,
  ({ passphrases }) => passphrases.length === 0,
)

test("T5: the sender's worker has no passphrases and no keys that mark a message", async () => {
  const { Encrypter } = await loadLeanAge()
  const locked = new Encrypter()
  locked.setPassphrase("a passphrase")
  await assert.rejects(locked.encrypt("text"), /left out/)
  const marked = new Encrypter()
  marked.addRecipient("age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e")
  await assert.rejects(marked.encrypt("text"), Error)
})

test("T2: post-quantum files of the sender's worker open with the library as npm installs it, and the other way round", async () => {
  const [lean, whole] = await Promise.all([loadLeanAge(), import("age-encryption")])
  const identity = await whole.generateHybridIdentity()
  for (const [sealing, opening] of [
    [lean, whole],
    [whole, lean],
  ] as const) {
    const encrypter = new sealing.Encrypter()
    encrypter.addRecipient(await sealing.identityToRecipient(identity))
    const decrypter = new opening.Decrypter()
    decrypter.addIdentity(identity)
    const sealed = await encrypter.encrypt("a text of no meaning")
    assert.equal(await decrypter.decrypt(sealed, "text"), "a text of no meaning")
  }
})

async function loadLeanAge(): Promise<typeof import("age-encryption")> {
  const outfile = join(folder, "lean-age.mjs")
  await build({
    stdin: { contents: `export * from "age-encryption"`, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    outfile,
    format: "esm",
    platform: "browser",
    plugins: [leanAge],
    logLevel: "silent",
  })
  return (await import(outfile)) as typeof import("age-encryption")
}
