import { randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import {
  effortText,
  EnvelopeFault,
  type FileToPack,
  groupThreads,
  packNote,
  packReply,
  recipientsOf,
  replyRecipients,
  seal,
  shownText,
  type Thread,
  threadName,
  threadOf,
} from "@assay/core/drop"
import { fileToSend } from "@assay/core/drop/metadata"
import { loadWords } from "@assay/core/drop/words"
import { identitiesOf, type IdentityOptions } from "./drop-identity.ts"
import { openInbox } from "./drop-inbox-folder.ts"
import { dayOf, filesLine, firstLine, sealedBy, shortId, STRANGE } from "./drop-message-lines.ts"
import { type InboxMessage, openInboxMessages, openOne } from "./drop-opened-inbox.ts"
import type { Keyboard } from "./passphrase.ts"
import { dropNote, queueDeletion, queueNote, queueReply } from "./drop-queue.ts"
import { threadNote } from "./drop-thread-note.ts"
import { CommandError, type Terminal } from "./terminal.ts"
import { typedCommand } from "@assay/runtime/typed-command"

export interface InboxOptions extends IdentityOptions {
  readonly into: string
}

/**
 * Prints every message by thread. Threads are made here, after opening: the server knows of none.
 */
export async function listMessages(
  options: InboxOptions,
  terminal: Terminal,
  keyboard: Keyboard,
): Promise<void> {
  const folder = openInbox(options.into)
  const identities = await identitiesOf(options, keyboard)
  const { messages, closed } = await openInboxMessages(folder, identities)
  for (const thread of groupThreads(messages, await loadWords("en")))
    threadLines(thread).forEach(terminal.print)
  for (const { id, why } of closed) terminal.print(`${shortId(id)}  cannot be shown: ${why}`)
  if (messages.length + closed.length === 0) terminal.note("There is no message.")
}

function threadLines(thread: Thread<InboxMessage>): string[] {
  const { name, messages, duplicates, contested } = thread
  return [
    name === null ? "One-way" : `Thread ${name}`,
    ...(contested
      ? ["  Warning: another thread names the same mailbox with another key; ask before you reply"]
      : []),
    ...messages.map((message) => messageLine(message, "")),
    ...duplicates.map((message) => messageLine(message, "came again  ")),
  ]
}

function messageLine(message: InboxMessage, mark: string): string {
  const { id, effort, purge_day: day, opened, strange } = message
  const facts = [
    ...(strange === null ? [] : [STRANGE[strange]]),
    `sealed by ${sealedBy(opened)}`,
    filesLine(opened),
    effortText(effort),
    `until ${dayOf(day)}`,
  ]
  return `  ${shortId(id)}  ${mark}${facts.join("  ")}  ${firstLine(opened.message)}`
}

export interface OpenOptions extends InboxOptions {
  readonly to?: string
}

/** Prints a message; writes it and its files only where a folder is named. */
export async function openMessageOf(
  id: string,
  options: OpenOptions,
  terminal: Terminal,
  keyboard: Keyboard,
): Promise<void> {
  const folder = openInbox(options.into)
  const message = await openOne(folder, id, await identitiesOf(options, keyboard))
  const { manifest, message: text, files } = message.opened
  const { thread } = manifest
  terminal.note(
    thread === undefined
      ? `Message ${shortId(message.id)}, one-way: it cannot be answered`
      : `Message ${shortId(message.id)} of thread ${threadName(thread, await loadWords("en"))}`,
  )
  if (message.strange !== null) terminal.note(`Warning: ${STRANGE[message.strange]}`)
  terminal.note(`Sealed by ${sealedBy(message.opened)}; language ${manifest.lang}`)
  for (const { name, type, metadata, found, bytes, original_name: given } of files) {
    const called = given === undefined ? "" : `, called ${shownText(given)} by its sender`
    const looked = ` (${found === undefined ? "not looked into" : `found: ${found.join(", ") || "nothing"}`})`
    terminal.note(`${name}: ${type}, ${bytes.length} bytes, metadata ${metadata}${looked}${called}`)
  }
  terminal.print(shownText(text))
  if (options.to !== undefined) {
    saveInto(options.to, [
      ["message.txt", new TextEncoder().encode(text)],
      ...files.map(({ name, bytes }): [string, Uint8Array] => [name, bytes]),
    ])
    terminal.note(`The message and ${files.length} of its files are written, as they were sent`)
  }
}

/** Into an empty folder, under names of ours: nothing that is there can be replaced. */
function saveInto(folder: string, files: readonly (readonly [string, Uint8Array])[]): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (readdirSync(folder).length > 0) throw new CommandError("--to takes a new or empty folder")
    for (const [name, bytes] of files)
      writeFileSync(join(folder, name), bytes, { mode: 0o600, flag: "wx" })
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError("--to names a folder that cannot be written to", { cause: error })
  }
}

export interface ReplyOptions extends InboxOptions {
  readonly messageFile?: string
  readonly attach?: string
  readonly keepMetadata?: boolean
}

/** Seals a reply at once and queues it. Nothing is sent here, and the plain text is not kept. */
export async function replyTo(
  id: string,
  options: ReplyOptions,
  terminal: Terminal,
  keyboard: Keyboard & { readonly stdin: Readable },
): Promise<void> {
  const folder = openInbox(options.into)
  const identities = await identitiesOf(options, keyboard)
  const { opened } = await openOne(folder, id, identities)
  const { thread, lang } = opened.manifest
  if (thread === undefined) throw new CommandError("This message is one-way: it cannot be answered")
  const message = await textOf(options.messageFile, keyboard.stdin)
  const file = options.attach === undefined ? {} : { file: fileOf(options.attach, options) }
  const recipients = recipientsOf(folder.index().recipients)
  const { note, replaces, waiting } = await threadNote(
    folder,
    threadOf(opened.manifest),
    identities,
  )
  const answers = note.answers + 1
  const sealed = await sealReply(
    { sealedBy: "sender", lang, message, ...file, order: answers },
    replyRecipients(thread, recipients),
  )
  const { mailbox, delete_verifier: deleteVerifier } = thread
  queueReply(folder, { id: newId(), mailbox, deleteVerifier, sealed })
  // Colleagues see what was answered, number their replies after it and send no acknowledgement any
  // more.
  const replies = message === "" ? note.replies : [...note.replies, message]
  const written = packNote({ ...note, acknowledged: true, replies, answers })
  queueNote(folder, { id: newId(), replaces, sealed: await seal(written, recipients) })
  for (const each of waiting) dropNote(folder, each)
  terminal.print(
    `The reply to thread ${threadName(thread, await loadWords("en"))} is sealed and waits; ${typedCommand("drop sync")} sends it.`,
  )
}

function newId(): string {
  return randomBytes(16).toString("hex")
}

async function sealReply(
  reply: Parameters<typeof packReply>[0],
  recipients: Parameters<typeof seal>[1],
): Promise<Uint8Array> {
  try {
    return await seal(packReply(reply), recipients)
  } catch (error) {
    if (!(error instanceof EnvelopeFault)) throw error
    const why =
      error.code === "empty"
        ? "A reply needs a text or a file that is not empty"
        : error.code === "size"
          ? "Text and file of a reply have 64 kB together, and the text at most 50,000 bytes"
          : "The reply cannot be sealed"
    throw new CommandError(why, { cause: error })
  }
}

async function textOf(file: string | undefined, stdin: Readable): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = file === undefined ? await buffer(stdin) : readFileSync(file)
  } catch (error) {
    throw new CommandError("--message-file names a file that cannot be read", { cause: error })
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new CommandError("The text of a reply must be UTF-8")
  }
}

function fileOf(path: string, { keepMetadata = false }: ReplyOptions): FileToPack {
  let bytes: Uint8Array
  try {
    bytes = new Uint8Array(readFileSync(path))
  } catch (error) {
    throw new CommandError("--attach names a file that cannot be read", { cause: error })
  }
  const file = fileToSend(bytes, keepMetadata)
  if (file === null)
    throw new CommandError("The picture cannot be cleaned; --keep-metadata sends it as it is")
  return file
}

/** Lets the deletion wait, together with replies. */
export function deleteMessage(
  id: string,
  options: { readonly into: string },
  terminal: Terminal,
): void {
  const folder = openInbox(options.into)
  const message = folder.find(id)
  queueDeletion(folder, message.id)
  terminal.print(
    `Message ${shortId(message.id)} is deleted, here and on the server, with the next ${typedCommand("drop sync")}.`,
  )
}
