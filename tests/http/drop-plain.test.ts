// The drop without JavaScript, as a browser without it posts its forms, opened with the `age` and
// `tar` of the machine.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { allowedSizes, FILE_MAX, type Manifest, MESSAGE_MAX } from "@assay/core/drop"
import { type Drop, startDrop } from "../browser/drop.ts"
import { type FormValues, getPage, type PlainPage, postForm, textOf } from "./drop-plain-visitor.ts"
import { oldFormToken } from "./drop-visitor.ts"
import { pngChunk, pngWith } from "../../packages/core/testing/drop/metadata/test-pictures.ts"

const KIB = 1024
const CODE_PAGE = 64 * KIB
const REPLIES_PAGE = 1536 * KIB

let drop: Drop
before(async () => {
  drop = await startDrop()
})
after(() => drop.stop())

/** Writes a message on a page that has the form, as a person who took their time. */
async function write(
  page: PlainPage,
  form: "drop-form" | "follow-up-form",
  values: FormValues,
): Promise<PlainPage> {
  return await postForm(drop.url, page, form, { token: oldFormToken(drop.service), ...values })
}

async function send(values: FormValues, language = ""): Promise<PlainPage> {
  return await write(await getPage(`${drop.url}/drop${language}`), "drop-form", values)
}

interface Fetched {
  readonly id: string
  readonly sealed: Uint8Array
  readonly folder: string
  readonly manifest: Manifest
  readonly message: string
}

const opened = new Map<string, Fetched>()

/** All messages that are stored, each opened once by the commands `age` and `tar`. */
async function stored(): Promise<Fetched[]> {
  const { index, files } = await drop.inbox.drop.sync([...opened.keys()])
  for await (const { kind, id, sealed } of files) {
    if (kind !== "message") continue
    const folder = mkdtempSync(join(drop.folder, "opened-"))
    writeFileSync(join(folder, "d.age"), sealed)
    run(folder, "age", "-d", "-i", drop.identityFile, "-o", "d.tar", "d.age")
    run(folder, "tar", "-xf", "d.tar")
    const text = (name: string): string => readFileSync(join(folder, name), "utf8")
    const manifest = JSON.parse(text("manifest.json")) as Manifest
    opened.set(id, { id, sealed, folder, manifest, message: text("message.txt") })
  }
  return index.messages.flatMap(({ id }) => opened.get(id) ?? [])
}

async function storedAs(message: string): Promise<Fetched> {
  const found = (await stored()).filter((each) => each.message === message)
  assert.equal(found.length, 1, `stored ${found.length} times`)
  return found[0] as Fetched
}

function run(cwd: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd, stdio: "pipe" })
}

/**
 * A reply, written with the programs of the machine and nothing of ours. The store sorts by id: a
 * later one is put first.
 */
async function reply({ thread }: Manifest, text: string, order?: number): Promise<void> {
  assert.ok(thread !== undefined)
  const folder = mkdtempSync(join(drop.folder, "reply-"))
  const manifest = { v: 1, nid: randomBytes(16).toString("hex"), sealed_by: "sender", mode: "two-way", lang: "en", files: [], order } // oxfmt-ignore
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest))
  writeFileSync(join(folder, "message.txt"), text)
  run(folder, "tar", "--format=ustar", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=600", "-cf", "r.tar", "manifest.json", "message.txt") // oxfmt-ignore
  run(folder, "truncate", "-s", "64K", "r.tar")
  run(folder, "age", "-r", thread.reply_to, "-r", drop.recipient, "-o", "r.age", "r.tar")
  const outcome = await drop.inbox.drop.batch({
    replies: [
      {
        id: `${9 - (order ?? 9)}${randomBytes(16).toString("hex").slice(1)}`,
        mailbox: thread.mailbox,
        deleteVerifier: thread.delete_verifier,
        sealed: readFileSync(join(folder, "r.age")),
      },
    ],
  })
  assert.equal(outcome.replies[0]?.outcome, "stored")
}

/** A JPEG as a camera writes it: with a place, in a comment, and something behind its end. */
const CANARY = "made-by-canary-camera"
function photograph(): Uint8Array<ArrayBuffer> {
  const comment = Buffer.from(CANARY)
  const head = Buffer.from("ffd8ffe000104a46494600010100000100010000fffe", "hex")
  const length = Buffer.from([0, comment.length + 2])
  const picture = Buffer.from(
    "ffdb004300" + "01".repeat(64) +
      "ffc0000b080001000101011100" + "ffc40014000100000000000000000000000000000000" +
      "ffda0008010100003f00" + "37" + "ffd9", "hex") // oxfmt-ignore
  return Uint8Array.from(Buffer.concat([head, length, comment, picture, Buffer.from(CANARY)]))
}

test("T7: without JavaScript a person sends files, comes back with the code, reads the reply, deletes it, and writes again", async () => {
  const message = "Guten Tag,\nein <b>Fund</b> & mehr"
  const profile = pngChunk("iCCP", Buffer.from("x\0\0not a profile", "latin1"))
  const files = [
    new File([photograph()], "Küche.jpg", { type: "text/plain" }),
    new File([randomBytes(70_000)], "../../x.bin"),
    new File([new Uint8Array(pngWith([profile]))], "écran.png"),
  ]
  const sent = await send({ message, mode: "two-way", files, names: "keep" }, "/fr")
  assert.equal(sent.status, 200, textOf(sent, "form-fault"))
  assert.equal(sent.bytes, CODE_PAGE)
  assert.equal(sent.headers.get("content-encoding"), null)
  assert.match(
    textOf(sent, "sent-files"),
    /fichier 2 n’a pas été examiné[^]*fichier 3 a perdu un profil de couleurs/,
  )
  const code = textOf(sent, "code-line")
  assert.match(code, /^(\p{L}+ ){11}\p{L}+$/u)
  assert.match(textOf(sent, "code-numbers"), /^(\d{4} ){11}\d{4}$/)

  const first = await storedAs(message)
  const { thread } = first.manifest
  assert.equal(first.manifest.sealed_by, "server")
  assert.equal(first.manifest.lang, "fr")
  assert.equal(thread?.n, 0)
  assert.deepEqual(first.manifest.files, [
    { name: "attachment-1.jpg", type: "image/jpeg", metadata: "stripped", found: ["comment", "hidden-data"], original_name: "Küche.jpg" }, // oxfmt-ignore
    { name: "attachment-2", type: "application/octet-stream", metadata: "unknown", original_name: "x.bin" }, // oxfmt-ignore
    { name: "attachment-3.png", type: "image/png", metadata: "stripped", found: ["colour-profile"], original_name: "écran.png" }, // oxfmt-ignore
  ])
  assert.ok(!readFileSync(join(first.folder, "attachment-1.jpg")).includes(CANARY))
  assert.ok(allowedSizes(1, "x25519").includes(first.sealed.length))

  const words = code.split(" ")
  const wrong = await postForm(drop.url, sent, "confirm-form", { word4: "un", word9: "deux" })
  assert.equal(wrong.status, 422)
  assert.equal(wrong.bytes, CODE_PAGE)
  assert.equal(textOf(wrong, "code-line"), code)
  const right = await postForm(drop.url, wrong, "confirm-form", {
    word4: ` ${(words[3] ?? "").toUpperCase()}`,
    word9: textOf(sent, "code-numbers").split(" ")[8] ?? "",
  })
  assert.equal(right.status, 200)
  assert.ok(!right.html.includes(code))

  const asking = await getPage(`${drop.url}/drop/replies`)
  const ask = (typed: string): Promise<PlainPage> =>
    postForm(drop.url, asking, "replies-form", { code: typed })
  const none = await ask(code)
  assert.equal(none.status, 200)
  assert.equal(none.bytes, REPLIES_PAGE)
  assert.equal(textOf(none, "reply-list"), "")

  await reply(first.manifest, "An answer \u202e<script>alert(1)</script> \u0007 end")
  const shown = await ask(textOf(sent, "code-numbers").replaceAll(" ", "-"))
  assert.equal(shown.bytes, REPLIES_PAGE)
  assert.match(textOf(shown, "reply-list"), /An answer ⟨U\+202E⟩<script>alert\(1\)<\/script> ␇ end/)
  assert.ok(!shown.html.includes("<script>alert"))

  const empty = await write(shown, "follow-up-form", { message: "  " })
  assert.equal(empty.status, 422)
  assert.equal(empty.bytes, REPLIES_PAGE)
  assert.match(textOf(empty, "reply-list"), /An answer/)
  const followed = await write(empty, "follow-up-form", { message: "More of it" })
  assert.equal(followed.status, 200)
  assert.equal(followed.bytes, CODE_PAGE)
  assert.ok(!followed.html.includes(code))
  const later = await storedAs("More of it")
  assert.deepEqual(later.manifest.thread, { ...thread, n: null })
  assert.notEqual(later.manifest.nid, first.manifest.nid)

  const deleted = await postForm(drop.url, shown, "delete-form", {})
  assert.equal(deleted.status, 200)
  assert.equal(textOf(await ask(code), "reply-list"), "")
  const again = await postForm(drop.url, shown, "delete-form", {})
  assert.equal(again.html, deleted.html)
})

test("replies are shown in the order they were written, the acknowledgement first", async () => {
  const sent = await send({ message: "an orderly talk", mode: "two-way" })
  const { manifest } = await storedAs("an orderly talk")
  await reply(manifest, "Made by hand")
  await reply(manifest, "Answer two", 2)
  await reply(manifest, "Answer one", 1)
  await reply(manifest, "It has arrived", 0)
  const asking = await getPage(`${drop.url}/drop/replies`)
  const shown = await postForm(drop.url, asking, "replies-form", {
    code: textOf(sent, "code-line"),
  })
  assert.match(
    textOf(shown, "reply-list"),
    /It has arrived[^]*Answer one[^]*Answer two[^]*Made by hand/,
  )
})

test("T20: whoever withdraws takes back the first message of their code and nobody else's", async () => {
  const [mine, other] = [await send({ message: "mine" }), await send({ message: "other" })]
  const follow = await postForm(drop.url, mine, "write-again-form", {})
  assert.equal((await write(follow, "follow-up-form", { message: "mine too" })).status, 200)
  const done = await postForm(drop.url, mine, "withdraw-now-form", {})
  assert.equal(done.status, 200)
  const left = (await stored()).map(({ message }) => message)
  assert.ok(!left.includes("mine"))
  // A later message has no number, and the page said so.
  assert.ok(left.includes("mine too"))
  assert.ok(left.includes("other"))
  const page = await getPage(`${drop.url}/drop/withdraw`)
  const stranger = await postForm(drop.url, page, "withdraw-form", {
    code: textOf(other, "code-numbers"),
  })
  assert.equal(stranger.html, done.html)
  assert.ok(!(await stored()).some(({ message }) => message === "other"))
})

test("T8: one-way and two-way look the same, on the wire and stored, and a one-way message has no thread", async () => {
  const before = new Set((await stored()).map(({ id }) => id))
  const pages = [
    await send({ message: "no way back", mode: "one-way" }),
    await send({ message: "and a way back", mode: "two-way" }),
  ]
  assert.deepEqual(pages.map(({ bytes }) => bytes), [CODE_PAGE, CODE_PAGE]) // oxfmt-ignore
  const headers = pages.map((page) => [...page.headers])
  assert.deepEqual(headers[0], headers[1])
  assert.equal(textOf(pages[0] as PlainPage, "code-line"), "")
  const fresh = (await stored()).filter(({ id }) => !before.has(id))
  const counts = new Float64Array(256)
  for (const { sealed, manifest } of fresh) {
    assert.equal(manifest.thread === undefined, manifest.mode === "one-way")
    assert.equal(sealed.length, allowedSizes(1, "x25519")[0])
    const head = Buffer.from(sealed.subarray(0, 200)).toString("latin1")
    assert.match(
      head,
      /^age-encryption\.org\/v1\n-> X25519 [\w+/]{43}\n[\w+/]{43}\n--- [\w+/]{43}\n/,
    )
    for (const byte of sealed.subarray(200)) counts[byte] = (counts[byte] ?? 0) + 1
  }
  // 255 degrees of freedom: beyond 500 is less likely than one in 10^17.
  const expected = counts.reduce((sum, count) => sum + count, 0) / 256
  assert.ok(counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0) < 500)
})

test("a message sealed with the machine's age is stored as it is; another age file goes into an envelope; anything else is refused", async () => {
  const folder = mkdtempSync(join(drop.folder, "presealed-"))
  const page = await getPage(`${drop.url}/drop/presealed`)
  const keys = await (await fetch(`${drop.url}/drop/keys.txt`)).text()
  writeFileSync(join(folder, "keys.txt"), keys)
  writeFileSync(join(folder, "message.txt"), "sealed at home")
  // Exactly the commands that the page prints.
  const [, commands = ""] = /<pre[^>]*>([^<]*)<\/pre>/.exec(page.html) ?? []
  run(folder, "sh", "-ec", unescapedCommands(commands))
  const sealed = readFileSync(join(folder, "message.age"))
  const upload = async (bytes: Uint8Array<ArrayBuffer>, token = oldFormToken(drop.service)): Promise<PlainPage> =>
    postForm(drop.url, page, "presealed-form", { token, sealed: [new File([bytes], "message.age")] }) // oxfmt-ignore

  const kept = await upload(Uint8Array.from(sealed))
  assert.equal(kept.status, 200, textOf(kept, "sealed-fault"))
  const message = await storedAs("sealed at home")
  assert.deepEqual(Buffer.from(message.sealed), sealed)

  run(folder, "age", "-r", drop.recipient, "-o", "other.age", "message.txt")
  const other = readFileSync(join(folder, "other.age"))
  const wrapped = await upload(Uint8Array.from(other))
  assert.equal(wrapped.status, 200)
  assert.match(wrapped.html, /second envelope/)
  const envelope = (await stored()).find(({ manifest }) => manifest.files[0]?.name === "attachment-1.age") // oxfmt-ignore
  assert.ok(envelope !== undefined)
  assert.deepEqual(readFileSync(join(envelope.folder, "attachment-1.age")), other)

  const before = (await stored()).length
  for (const [bytes, token, status, sentence] of [
    [Buffer.from("plain text"), undefined, 422, /not a file that age/],
    [Buffer.from("-----BEGIN AGE ENCRYPTED FILE-----\n"), undefined, 422, /not a file that age/],
    [Buffer.alloc(0), undefined, 422, /Choose the encrypted file/],
    [sealed, "no token", 422, /does not come from this drop/],
  ] as const) {
    const refused = await upload(Uint8Array.from(bytes), token)
    assert.equal(refused.status, status)
    assert.match(textOf(refused, "sealed-fault"), sentence)
  }
  assert.equal((await stored()).length, before)
})

function unescapedCommands(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

test("the longest message and three files of the largest size are taken, and open with age and tar", async () => {
  const bytes = new Uint8Array(FILE_MAX).fill(7)
  const message = "m".repeat(MESSAGE_MAX)
  const files = ["1", "2", "3"].map((name) => new File([bytes], name))
  const sent = await send({ message, mode: "one-way", files })
  assert.equal(sent.status, 200, textOf(sent, "form-fault"))
  const { folder, manifest, sealed, id } = await storedAs(message)
  assert.equal(sealed.length, allowedSizes(1, "x25519").at(-1))
  assert.equal(manifest.files.length, 3)
  for (const { name } of manifest.files) assert.ok(readFileSync(join(folder, name)).equals(bytes))
  await drop.inbox.drop.batch({ delete: [id] })
})
