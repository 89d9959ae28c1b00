import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { openMessage, packMessage, packReply, unpackMessage } from "./envelope.ts"
import { attachmentName, keptName } from "./file-names.ts"
import { classOf } from "./padding.ts"
import { seal } from "./seal.ts"
import { shownText } from "./shown-text.ts"
import { tarSize, writeTar } from "./tar.ts"
import {
  fileOf,
  oneWay,
  refusedAs,
  testRecipients,
  testThread,
  twoWay,
} from "../../testing/drop/test-messages.ts"

const RUNS = process.env["ASSAY_SOAK"] === undefined ? 100 : 5_000

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const thread = await testThread(1)
const fair = {
  v: 1,
  nid: "00".repeat(16),
  sealed_by: "sender",
  mode: "two-way",
  lang: "en",
  thread,
  files: [],
}

/** An envelope made by hand by somebody who has the drop's keys. */
const byHand = (
  manifest: unknown,
  message: Uint8Array = utf8("hello"),
  attached: readonly string[] = [],
): Uint8Array => {
  const text = typeof manifest === "string" ? manifest : JSON.stringify(manifest)
  const members = [
    { name: "manifest.json", bytes: utf8(text) },
    { name: "message.txt", bytes: message },
    ...attached.map((name) => ({ name, bytes: utf8("file") })),
  ]
  return writeTar(members, classOf(tarSize(members)) ?? 0)
}

test("a message comes out as it went in", () => {
  const files = [fileOf(utf8("one"), "evidence.pdf"), fileOf(utf8("two"))]
  const opened = unpackMessage(packMessage(twoWay("Grüße\r\n\t\u{1f4a7}", thread, files)))
  assert.equal(opened.message, "Grüße\r\n\t\u{1f4a7}")
  assert.deepEqual(opened.manifest.thread, thread)
  assert.deepEqual(
    opened.files.map(({ name, original_name, bytes }) => [name, original_name, bytes.length]),
    [
      ["attachment-1.bin", "evidence.pdf", 3],
      ["attachment-2.bin", undefined, 3],
    ],
  )
})

test("a one-way message holds nothing to reply to, and two messages share no number", () => {
  const [first, second] = [packMessage(oneWay("a")), packMessage(oneWay("a"))].map(unpackMessage)
  assert.equal(first?.manifest.thread, undefined)
  assert.notEqual(first?.manifest.nid, second?.manifest.nid)
})

test("nothing at all, an empty file, and anything over a limit is not packed", () => {
  const big = fileOf(new Uint8Array(10_485_761))
  const one = fileOf(utf8("x"))
  assert.throws(() => packMessage(oneWay("")), refusedAs("empty"))
  assert.throws(() => packMessage(oneWay("a", [fileOf(utf8(""))])), refusedAs("empty"))
  assert.throws(() => packMessage(oneWay("a", [big])), refusedAs("size"))
  assert.throws(() => packMessage(oneWay("a", [one, one, one, one])), refusedAs("size"))
  assert.throws(() => packMessage(oneWay("ä".repeat(25_001))), refusedAs("size"))
  assert.equal(unpackMessage(packMessage(oneWay("ä".repeat(25_000)))).message.length, 25_000)
  assert.equal(unpackMessage(packMessage(oneWay("", [one]))).message, "")
})

test("a thread without two-way, and two-way without a thread, are not packed", () => {
  assert.throws(() => packMessage({ ...oneWay("a"), thread }), refusedAs("manifest"))
  assert.throws(() => packMessage({ ...oneWay("a"), mode: "two-way" }), refusedAs("manifest"))
})

test("every reply has one size, and one that does not fit is refused", () => {
  const reply = { sealedBy: "browser", lang: "en", message: "yes" } as const
  const file = fileOf(new Uint8Array(60_000).fill(1))
  assert.equal(packReply(reply).length, packReply({ ...reply, file }).length)
  assert.equal(unpackMessage(packReply({ ...reply, file })).files[0]?.bytes.length, 60_000)
  assert.equal(unpackMessage(packReply({ ...reply, order: 3 })).manifest.order, 3)
  assert.equal(packReply({ ...reply, order: 3 }).length, packReply(reply).length)
  assert.ok(!("order" in unpackMessage(packReply(reply)).manifest))
  const tooBig = fileOf(new Uint8Array(64_000))
  assert.throws(() => packReply({ ...reply, file: tooBig }), refusedAs("size"))
})

test("T46: a sender's file name is never the name of a file, and shows no more than it may", () => {
  const names = {
    "../../x": "x",
    "C:\\Users\\Ann\\CON": "CON",
    "photo\u202egnp.exe": "photo\ufffdgnp.exe",
    "two\nlines\u0000\u001b[2J": "two\ufffdlines\ufffd\ufffd[2J",
    '<img src=x onerror="alert(1)">': '<img src=x onerror="alert(1)">',
    ["x".repeat(4_000)]: "x".repeat(120),
    "\u{1f4a7}\ud800.jpg": "\u{1f4a7}\ufffd.jpg",
    "/": "",
  }
  for (const [given, kept] of Object.entries(names)) {
    const { files } = unpackMessage(packMessage(oneWay("a", [fileOf(utf8("x"), given)])))
    assert.equal(files[0]?.name, "attachment-1.bin")
    assert.equal(files[0].original_name, kept)
    const opened = unpackMessage(
      byHand(
        {
          ...fair,
          files: [{ name: "attachment-1", type: "a/b", metadata: "kept", original_name: given }],
        },
        utf8("a"),
        ["attachment-1"],
      ),
    )
    assert.equal(opened.files[0]?.original_name, kept, "also when somebody else packed it")
  }
})

test("T46: no name, whatever it holds, keeps a folder or an unseen character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
      assert.doesNotMatch(keptName(name), /[/\\\p{C}]/u)
      assert.ok(Array.from(keptName(name)).length <= 120)
    }),
    { seed: 6_003, numRuns: RUNS },
  )
  assert.equal(attachmentName(1, ".tar.gz"), "attachment-1")
  assert.equal(attachmentName(2, "/../x"), "attachment-2")
  assert.equal(attachmentName(3, ".jpg"), "attachment-3.jpg")
})

test("T48: what a screen or a terminal would act on is shown literally", () => {
  const shown = {
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "\u001b[31mred\u0007": "␛[31mred␇",
    "a\u202eb\u2066c": "a⟨U+202E⟩b⟨U+2066⟩c",
    "zero\u200bwidth\u200djoin\ufeff": "zero⟨U+200B⟩width⟨U+200D⟩join⟨U+FEFF⟩",
    "nul\u0000del\u007fcsi\u009b": "nul␀del␡csi⟨U+009B⟩",
    "lone\ud800": "lone⟨U+D800⟩",
    "return\rover": "return␍over",
    "kept\r\n\tlines": "kept\n\tlines",
    "line\u2028separator": "line⟨U+2028⟩separator",
    "tag\u{e0041}": "tag⟨U+E0041⟩",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645":
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u{1f469}\u200d\u{1f4bb}": "\u{1f469}\u200d\u{1f4bb}",
  }
  for (const [given, wanted] of Object.entries(shown)) assert.equal(shownText(given), wanted)
})

test("T48: no text, once shown, holds a control character, and showing it again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const shown = shownText(text)
      assert.doesNotMatch(shown, /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\ufeff\u200b]|\p{Cs}/u)
      assert.equal(shownText(shown), shown)
    }),
    { seed: 6_004, numRuns: RUNS },
  )
})

test("T48: the longest message, bytes that are no text and a byte order mark are handed on", () => {
  const long = "\u0000".repeat(50_000)
  assert.equal(unpackMessage(packMessage(oneWay(long))).message, long)
  assert.equal(unpackMessage(packMessage(oneWay("a\ud800"))).message, "a\ufffd")
  const opened = unpackMessage(byHand(fair, Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0x00, 0x41)))
  assert.equal(opened.message, "\ufeff\ufffd\u0000A")
  assert.throws(() => unpackMessage(byHand(fair, new Uint8Array(50_001))), refusedAs("size"))
})

test("T50: a manifest that lies about its form is refused, and nothing of it is quoted", () => {
  const lies: unknown[] = [
    "",
    "null",
    "[]",
    "{",
    '{"v":1}',
    { ...fair, v: 2 },
    { ...fair, nid: "SECRET" },
    { ...fair, nid: "00".repeat(17) },
    { ...fair, sealed_by: "nobody" },
    { ...fair, mode: "one-way" },
    { ...fair, lang: "<script>" },
    { ...fair, thread: null },
    { ...fair, thread: { ...thread, mailbox: thread.mailbox.toUpperCase() } },
    { ...fair, thread: { ...thread, mailbox: undefined } },
    { ...fair, thread: { ...thread, reply_to: "age1tag1qqqq" } },
    { ...fair, thread: { ...thread, reply_to: `${thread.reply_to.slice(0, -1)}q` } },
    { ...fair, thread: { ...thread, reply_to_pq: thread.reply_to } },
    { ...fair, thread: { ...thread, delete_verifier: "00" } },
    { ...fair, thread: { ...thread, n: 16 } },
    { ...fair, thread: { ...thread, n: "0" } },
    ...[-1, 1.5, 1_000_000, "0", null].map((order) => ({ ...fair, order })),
    { ...fair, files: {} },
    { ...fair, files: Array.from({ length: 4 }, () => ({})) },
    { ...fair, files: [{ name: "attachment-2.jpg", type: "image/jpeg", metadata: "kept" }] },
    { ...fair, files: [{ name: "../x", type: "image/jpeg", metadata: "kept" }] },
    { ...fair, files: [{ name: "attachment-1", type: "text/html;x=<b>", metadata: "kept" }] },
    { ...fair, files: [{ name: "attachment-1", type: "a/b", metadata: "clean" }] },
    ...["location", [1], ["<b>"], null].map((found) => ({
      ...fair,
      files: [{ name: "attachment-1", type: "a/b", metadata: "kept", found }],
    })),
  ]
  for (const lie of lies) {
    assert.throws(() => unpackMessage(byHand(lie)), refusedAs("manifest"))
  }
})

test("T50: a huge or deeply nested manifest is refused", () => {
  const padded = { ...fair, padding: "x".repeat(9_000_000) }
  assert.throws(() => unpackMessage(byHand(padded)), refusedAs("size"))
  const deep = `{"v":1,"files":${"[".repeat(30_000)}${"]".repeat(30_000)}}`
  assert.throws(() => unpackMessage(byHand(deep)), refusedAs("manifest"))
})

test("T50: a manifest that names other files than there are is refused", () => {
  const file = { name: "attachment-1.jpg", type: "image/jpeg", metadata: "kept" }
  const refused = [
    byHand({ ...fair, files: [file] }),
    byHand(fair, utf8("a"), ["attachment-1.jpg"]),
    byHand({ ...fair, files: [file] }, utf8("a"), ["attachment-1.png"]),
    byHand({ ...fair, files: [file] }, utf8("a"), ["attachment-2.jpg"]),
  ]
  for (const envelope of refused) assert.throws(() => unpackMessage(envelope), refusedAs("files"))
})

test("members of a manifest that are not known are not handed on", () => {
  const { manifest } = unpackMessage(byHand({ ...fair, later: "x", __proto__: { v: 1 } }))
  assert.deepEqual(manifest, fair)
})

test("a file that its sender sealed is found inside the envelope around it, or handed on as it is", async () => {
  const recipients = await testRecipients(1)
  const wrap = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const file = { ...fileOf(bytes), type: "application/age", extension: ".age" }
    return await seal(packMessage({ ...oneWay("", [file]), sealedBy: "server" }), recipients)
  }
  const inner = packMessage({ ...twoWay("by hand", thread), sealedBy: "sender" })
  const opened = await openMessage(await wrap(await seal(inner, recipients)), recipients.identities)
  assert.equal(opened.wrapped, true)
  assert.equal(opened.message, "by hand")
  assert.equal(opened.manifest.sealed_by, "sender")
  const foreign = await openMessage(await wrap(utf8("no message")), recipients.identities)
  assert.equal(foreign.wrapped, false)
  assert.equal(foreign.files[0]?.name, "attachment-1.age")
})
