// A sender of the drop and its recipient, for tests: they use the same code as the pages and the
// command line.
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  newIdentityFile,
  packMessage,
  readRecipients,
  type Recipients,
  seal,
  SIZE_CLASSES,
  type Suite,
} from "@assay/core/drop"
import { formToken } from "../../packages/drop/src/form-tokens.ts"
import { signedChallenge, signedTicket } from "../../packages/drop/src/tickets.ts"
import { callRunningServer } from "../../packages/runtime/src/control-socket.ts"
import type { Service } from "./service.ts"

/** Gives the drop this many keys, as `assay drop keys` does, and returns their identities. */
export async function giveKeys(
  { dataDirectory }: Pick<Service, "dataDirectory">,
  count = 1,
  suite: Suite = "x25519",
): Promise<string[]> {
  const files = await Promise.all(
    Array.from({ length: count }, () => newIdentityFile(undefined, suite)),
  )
  const keys = files.map(({ recipient }) => recipient)
  writeFileSync(join(dataDirectory, "drop", "keys.txt"), `${keys.join("\n")}\n`, { mode: 0o600 })
  const server = await callRunningServer(join(dataDirectory, "control.sock"))
  if (server === null) throw new Error("The service does not run")
  await server.call("reloadDropKeys")
  server.close()
  return files.map(({ file }) => new TextDecoder().decode(file).trim().split("\n").at(-1) ?? "")
}

/** A form token as old as it must be; the real ones are too young for a test to wait for. */
export function oldFormToken(service: Pick<Service, "dataDirectory">, ageMs = 60_000): string {
  return formToken(signingSecret(service), Date.now() - ageMs)
}

/** A ticket without the work for it. */
export function freeTicket(
  service: Pick<Service, "dataDirectory">,
  sizeClass = SIZE_CLASSES.length - 1,
): string {
  return signedTicket(signingSecret(service), Date.now(), { effort: 0, sizeClass })
}

/** A challenge as the drop gives them out, which is solved at once. */
export async function easyChallenge(
  service: Pick<Service, "dataDirectory">,
  effort: number,
): Promise<string> {
  const sizeClass = SIZE_CLASSES.length - 1
  const easy = { counter: 1, most: 2, effort, sizeClass, madeAtMs: Date.now() }
  return JSON.stringify(await signedChallenge(signingSecret(service), easy))
}

function signingSecret({ dataDirectory }: Pick<Service, "dataDirectory">): Uint8Array {
  const file = join(dataDirectory, "drop", "drops.sqlite")
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const row = database.prepare("select value from meta where name = 'signing-secret'").get()
  database.close()
  return row?.["value"] as Uint8Array
}

/** How many messages the store holds, and of which sizes. */
export function storedSizes({ dataDirectory }: Pick<Service, "dataDirectory">): number[] {
  const file = join(dataDirectory, "drop", "drops.sqlite")
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const rows = database.prepare("select size from blob order by size").all()
  database.close()
  return rows.map((row) => Number(row["size"]))
}

export async function recipientsOf(dropUrl: string): Promise<Recipients> {
  const response = await fetch(`${dropUrl}/drop/keys.txt`)
  return readRecipients(await response.text()).recipients
}

/** A one-way message, sealed as a browser would. `fileBytes`: the size of an attachment. */
export async function sealedMessage(
  recipients: Recipients,
  message: string,
  fileBytes = 0,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = {
    bytes: randomBytes(fileBytes),
    type: "application/octet-stream",
    extension: "bin",
    metadata: "unknown",
  } as const
  const envelope = packMessage({
    sealedBy: "browser",
    mode: "one-way",
    lang: "en",
    message,
    files: fileBytes === 0 ? [] : [file],
  })
  return new Uint8Array(await seal(envelope, recipients))
}

/** Posts a sealed message. */
export async function postSealed(
  dropUrl: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return await fetch(`${dropUrl}/drop/sealed`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/octet-stream",
      "drop-withdraw": randomBytes(32).toString("hex"),
      ...headers,
    },
    ...(body instanceof ReadableStream && { duplex: "half" }),
  })
}
