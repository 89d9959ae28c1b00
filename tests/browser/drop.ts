// A running drop and visitors of it, for the tests of the sender's pages.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, createClient } from "@assay/client"
import { type Manifest, newIdentityFile, packReply, recipientsOf } from "@assay/core/drop"
import type { BrowserContext, Page, Request } from "playwright-core"
import { writeKeysFile } from "../../packages/drop/src/keys-file.ts"
import { assay } from "../cli/assay.ts"
import { type Service, type ServiceOptions, startService } from "../http/service.ts"

export interface Drop {
  readonly service: Service
  /** The origin of the sender's pages. */
  readonly url: string
  /** A recipient's secret key, as a file for the command `age`. */
  readonly identityFile: string
  readonly recipient: string
  /** What a recipient can ask the service for, and with which token. */
  readonly inbox: Client
  readonly recipientToken: string
  /** A folder for what a test takes apart; it goes with the service. */
  readonly folder: string
  stop(): Promise<void>
}

/** Starts a service whose drop has one key. */
export async function startDrop(
  options: Pick<ServiceOptions, "args" | "env" | "openFilesMax"> = {},
): Promise<Drop> {
  const folder = mkdtempSync(join(tmpdir(), "assay-drop-"))
  const dataDirectory = join(folder, "data")
  mkdirSync(dataDirectory, { mode: 0o700 })
  const { file, recipient } = await newIdentityFile(undefined, "x25519")
  const identityFile = join(folder, "identity.txt")
  writeFileSync(identityFile, file, { mode: 0o600 })
  writeKeysFile(join(dataDirectory, "drop"), recipientsOf([recipient]))
  const service = await startService({ ...options, drop: true, dataDirectory })
  const { dropUrl } = service
  assert.ok(dropUrl !== null)
  const token = await assay(["operators", "token", "--name", "Test"], { ASSAY_DATA: dataDirectory })
  const [apiKey] = /ask_\w+/.exec(token.out) ?? []
  assert.ok(apiKey !== undefined, token.err)
  return {
    service,
    url: dropUrl,
    identityFile,
    recipient,
    inbox: createClient({ baseUrl: service.baseUrl, apiKey }),
    recipientToken: apiKey,
    folder,
    async stop() {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Every message that is there, each opened and unpacked with the commands `age` and `tar` into a
 * folder of its own.
 */
export async function fetchMessages(drop: Drop, have: readonly string[] = []): Promise<string[]> {
  const { files } = await drop.inbox.drop.sync(have)
  const folders: string[] = []
  for await (const { kind, id, sealed } of files) {
    if (kind !== "message") continue
    const folder = mkdtempSync(join(drop.folder, "message-"))
    writeFileSync(join(folder, "d.age"), sealed)
    const run = (command: string, ...args: string[]): Buffer =>
      execFileSync(command, args, { cwd: folder })
    run("age", "-d", "-i", drop.identityFile, "-o", "d.tar", "d.age")
    run("tar", "-xf", "d.tar")
    folders.push(folder)
    writeFileSync(join(folder, "id"), id)
  }
  return folders
}

/** The text of a message that was unpacked into this folder. */
export function messageIn(folder: string): string {
  return readFileSync(join(folder, "message.txt"), "utf8")
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest
}

/**
 * Seals a reply with the command `age`, to the sender and to the recipient, and posts it as a
 * recipient does.
 */
export async function reply(drop: Drop, { thread }: Manifest, text: string): Promise<void> {
  assert.ok(thread !== undefined)
  const tar = packReply({ sealedBy: "sender", lang: "en", message: text })
  const sealed = execFileSync("age", ["-r", thread.reply_to, "-r", drop.recipient], { input: tar })
  const { replies } = await drop.inbox.drop.batch({
    replies: [
      {
        id: randomBytes(16).toString("hex"),
        mailbox: thread.mailbox,
        deleteVerifier: thread.delete_verifier,
        sealed,
      },
    ],
  })
  assert.deepEqual(
    replies.map(({ outcome }) => outcome),
    ["stored"],
  )
}

/** A page of the drop, with all that it asked for and all that it must not do. */
export interface Visitor {
  readonly page: Page
  readonly requests: readonly Request[]
  /** Requests to anywhere else, broken rules of the policy, cookies, faults of scripts. */
  readonly wrong: readonly string[]
}

export async function visit(context: BrowserContext, url: string): Promise<Visitor> {
  const page = await context.newPage()
  const requests: Request[] = []
  const wrong: string[] = []
  const { origin } = new URL(url)
  page.on("request", (request) => {
    requests.push(request)
    const asked = new URL(request.url())
    if (asked.origin !== origin && asked.protocol !== "blob:") wrong.push(request.url())
  })
  page.on("response", (response) => {
    if (response.headers()["set-cookie"] !== undefined) wrong.push(`cookie: ${response.url()}`)
  })
  page.on("pageerror", (error) => wrong.push(error.message))
  page.on("console", (message) => {
    // Browsers ask for an icon, which the drop does not have.
    if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico"))
      wrong.push(message.text())
  })
  await page.addInitScript({
    content: `addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
      console.error("policy: " + violatedDirective))`,
  })
  await page.goto(url)
  return { page, requests, wrong }
}

/** Presses Send and waits until the page says that the message was sent. */
export async function send(page: Page): Promise<void> {
  await page.click("#send")
  await page.locator("#sent").waitFor()
}

export async function codeLine(page: Page): Promise<string> {
  const line = await page.locator("#code-line").textContent()
  assert.match(line ?? "", /^(\S+ ){11}\S+$/)
  return line ?? ""
}
