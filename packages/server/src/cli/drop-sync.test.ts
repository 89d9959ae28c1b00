import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { after, test } from "node:test"
import type { Client, DropSealedFile } from "@assay/client"
import {
  newIdentityFile,
  packMessage,
  readIdentities,
  recipientsOf,
  reseal,
  seal,
} from "@assay/core/drop"
import { listMessages, openMessageOf } from "./drop-inbox.ts"
import { fetchAll } from "./drop-sync.ts"
import { openInbox } from "./drop-inbox-folder.ts"
import type { Keyboard } from "./passphrase.ts"
import type { Terminal } from "./terminal.ts"

const home = mkdtempSync(join(tmpdir(), "assay-sync-"))
after(() => rmSync(home, { recursive: true }))
const identity = join(home, "identity.txt")
const made = await newIdentityFile(undefined, "x25519")
writeFileSync(identity, made.file)
const more = (await newIdentityFile(undefined, "x25519")).recipient
const DAY = 20_000

const id = (n: number): string => n.toString(16).padStart(2, "0").repeat(16)
const sealed = async (message: string, ...keys: string[]): Promise<Uint8Array<ArrayBuffer>> => {
  const letter = { sealedBy: "browser", mode: "one-way", lang: "en", message, files: [] } as const
  return new Uint8Array(await seal(packMessage(letter), recipientsOf([made.recipient, ...keys])))
}

/** A server that sends the messages it is given, whatever the recipient has of the same size. */
function server(messages: Map<string, Uint8Array<ArrayBuffer>>): Client["drop"] {
  const sync: Client["drop"]["sync"] = async (have) => ({
    index: {
      drop_id: "07".repeat(16),
      recipients: [made.recipient],
      notes: [],
      messages: [...messages].map(([each, { length: size }]) => ({
        id: each,
        size,
        purge_day: DAY + 30,
        effort: 0,
      })),
    },
    files: (async function* (): AsyncGenerator<DropSealedFile, void, undefined> {
      for (const [each, file] of messages)
        if (!have.includes(each)) yield { kind: "message", id: each, sealed: file }
    })(),
  })
  return { sync } as Client["drop"]
}

function terminal(): { terminal: Terminal; lines: string[] } {
  const lines: string[] = []
  const note = (line: string): void => void lines.push(line)
  const now = (): number => DAY * 86_400_000
  return { lines, terminal: { env: {}, user: "test", now, print: note, note } }
}
const keyboard = { stdin: new PassThrough(), stderr: new PassThrough() } as unknown as Keyboard

test("T51: a message whose content changed on the server, or came under another id, is flagged and stays so", async () => {
  const into = join(home, "inbox")
  const folder = openInbox(into)
  const first = await sealed("the first")
  const messages = new Map([[id(1), first]])
  const sync = async (): Promise<string> => {
    const { terminal: shown, lines } = terminal()
    await fetchAll(folder, server(messages), shown)
    return lines.join("\n")
  }
  const list = async (): Promise<string> => {
    const { terminal: shown, lines } = terminal()
    await listMessages({ into, identity }, shown, keyboard)
    return lines.join("\n")
  }
  assert.doesNotMatch(await sync(), /Warning/)
  assert.doesNotMatch(await list(), /CHANGED|SEEN/)

  // Another recipient seals it to one key more, as they may: the content is the same.
  const identities = await readIdentities(made.file)
  const resealed = await reseal(first, identities, recipientsOf([made.recipient, more]))
  messages.set(id(1), resealed.sealed)
  for (const time of [1, 2]) assert.doesNotMatch(await sync(), /Warning/, String(time))
  assert.equal(folder.sealed("messages", id(1)).length, resealed.sealed.length)
  assert.doesNotMatch(await list(), /CHANGED|SEEN/)

  messages.set(
    id(1),
    await sealed("forged", more, (await newIdentityFile(undefined, "x25519")).recipient),
  )
  messages.set(id(2), resealed.sealed)
  await sync()
  const warned = await sync()
  assert.match(warned, /another content for message 010101010101 than before/)
  const listed = await list()
  assert.match(listed, /010101010101 {2}CHANGED ON THE SERVER.*the first/)
  assert.match(listed, /020202020202 {2}(came again {2})?SEEN BEFORE under another id/)
  assert.doesNotMatch(listed, /forged/)
  const { terminal: shown, lines } = terminal()
  await openMessageOf(id(1), { into, identity }, shown, keyboard)
  assert.ok(lines.some((line) => line.startsWith("Warning: CHANGED ON THE SERVER")))

  // Deleted, it is still known when somebody stores it again.
  messages.clear()
  await sync()
  messages.set(id(3), resealed.sealed)
  assert.match(await sync(), /message 030303030303 has the content of one that was seen before/)
  const kept = readFileSync(join(into, "seen.json"), "utf8")
  assert.doesNotMatch(kept, /the first|forged/)
})

test("a folder from before there was a memory begins with what lies in it; a damaged memory is said", async () => {
  const into = join(home, "older")
  const folder = openInbox(into)
  const messages = new Map([[id(1), await sealed("one")]])
  const { terminal: shown, lines } = terminal()
  await fetchAll(folder, server(messages), shown)
  rmSync(join(into, "seen.json"))
  messages.set(id(2), messages.get(id(1)) ?? new Uint8Array())
  await fetchAll(folder, server(messages), shown)
  assert.match(lines.join("\n"), /message 020202020202 has the content/)
  writeFileSync(join(into, "seen.json"), "{")
  await assert.rejects(fetchAll(folder, server(messages), shown), /seen\.json is damaged/)
})
