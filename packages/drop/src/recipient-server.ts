import { randomInt } from "node:crypto"
import { chmodSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { type DropBatchResult, type DropKeys, problems } from "@assay/core/contract"
import { type Recipients, RecipientsFault, recipientsOf } from "@assay/core/drop"
import { BATCH_BODY_MAX } from "./batch-size.ts"
import type { Drops, RandomId } from "./store/drops.ts"
import { DAY_MS } from "@assay/runtime/time"
import { openTurns } from "@assay/runtime/turns"
import { readKeysFile, writeKeysFile } from "./keys-file.ts"
import type { Keys } from "./keys-in-use.ts"
import { RecipientRefusal } from "./recipient-refusal.ts"
import { syncArchive } from "./sync-archive.ts"
import { RESEAL_BODY_MAX, takeResealed } from "./take-resealed.ts"
import { Explained } from "@assay/runtime/explained"

/** Linux and macOS give a socket's path 108 and 104 bytes, a closing zero included. */
const PATH_MAX = 103

interface RecipientServices {
  readonly drops: Drops
  readonly dropId: Uint8Array
  /** The drop's folder, where its keys are written. */
  readonly folder: string
  readonly keys: Keys
  readonly retentionDays: number
  readonly now: () => number
  readonly onFault: (error: unknown) => void
}

/** The id of a message at the end of a path, which stands as `ID` in the routes. */
const ID = /(?<=\/reseal)\/[0-9a-f]{32}$/

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Answers the recipients' requests, on a socket that only the service's own user can reach. A
 * worker has authenticated the recipient, and passes the answer on unchanged.
 */
export async function serveRecipients(
  socketPath: string,
  services: RecipientServices,
): Promise<{ close(): Promise<void> }> {
  if (Buffer.byteLength(socketPath) > PATH_MAX)
    throw new Explained(
      "data-directory",
      "The data directory's path is too long for the drop's sockets",
    )
  const routes = recipientRoutes(services)
  const server = createServer((request, response) => {
    const handle = routes[`${request.method ?? ""} ${request.url ?? ""}`.replace(ID, "/ID")]
    if (handle === undefined) return void response.writeHead(404).end()
    handle(request, response).catch((error: unknown) => answerFault(response, error, services))
  })
  // Our primary holds the lock of the data directory, so a socket that is here is a dead process's.
  rmSync(socketPath, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(socketPath, resolve)
  })
  chmodSync(socketPath, 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function recipientRoutes(services: RecipientServices): Readonly<Record<string, Handle>> {
  const { drops, dropId, folder, keys, retentionDays, now } = services
  const keysNow = (): DropKeys => ({
    drop_id: Buffer.from(dropId).toString("hex"),
    recipients: [...(keys.current()?.recipients.keys ?? [])],
  })
  const settingKeys = openTurns()

  return {
    "POST /sync": async (request, response) => {
      const { have } = JSON.parse((await bodyOf(request)).toString()) as { have: RandomId[] }
      // A recipient has the messages it names, even where the sync that brought them broke off.
      await drops.markRead(have)
      const sent: RandomId[] = []
      const { recipients } = keysNow()
      const archive = syncArchive({
        drops,
        dropId,
        recipients,
        have: new Set(have),
        onSent: (id) => void sent.push(id),
      })
      response.writeHead(200, { "content-type": "application/x-tar" })
      await pipeline(Readable.from(archive, { objectMode: false }), response)
      await drops.markRead(sent)
    },

    "POST /batch": async (request, response) => {
      const recipients = keys.current()?.recipients ?? null
      const body = await bodyOf(request)
      // It checks by schemas, which every start of the drop would make and few need.
      const { readBatch } = await import("./read-batch.ts")
      const batch = readBatch(body, recipients)
      const today = Math.floor(now() / DAY_MS)
      const replies: DropBatchResult["replies"] = []
      for (const reply of batch.replies) {
        const outcome = await drops.postReply(reply, { today, retentionDays })
        replies.push({ id: reply.id, outcome })
      }
      for (const { note, replaces } of batch.notes)
        await drops.putNote(note, replaces, today + retentionDays + randomInt(8))
      await drops.deleteMessages(batch.deletions)
      await drops.deleteNotes(batch.noteDeletions)
      answer(response, 200, { replies })
    },

    "POST /reseal/ID": async (request, response) => {
      const id = request.url?.slice(-32) ?? ""
      const header = await bodyOf(request, RESEAL_BODY_MAX)
      answer(response, 200, { outcome: await takeResealed(id, header, { drops, keys }) })
    },

    "GET /keys": async (_request, response) => answer(response, 200, keysNow()),

    "POST /keys": async (request, response) => {
      const { recipients } = JSON.parse((await bodyOf(request)).toString()) as {
        recipients: string[]
      }
      const wanted = acceptable(recipients)
      await settingKeys.take(async () => {
        if (hasKeys(folder))
          throw new RecipientRefusal("drop-keys-exist", problems["drop-keys-exist"].meaning)
        writeKeysFile(folder, wanted)
        await keys.reload()
      })
      answer(response, 200, keysNow())
    },
  }
}

function acceptable(recipients: readonly string[]): Recipients {
  try {
    return recipientsOf(recipients)
  } catch (error) {
    if (error instanceof RecipientsFault)
      throw new RecipientRefusal("drop-keys-refused", `${error.message}.`)
    throw error
  }
}

/** Also true of a file that cannot be used: it is mended by hand and never replaced here. */
function hasKeys(folder: string): boolean {
  try {
    return readKeysFile(folder) !== null
  } catch (error) {
    if (error instanceof RecipientsFault) return true
    throw error
  }
}

async function bodyOf(request: IncomingMessage, max = BATCH_BODY_MAX): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > max)
      throw new RecipientRefusal("body-too-large", problems["body-too-large"].meaning)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
    })
    .end(text)
}

function answerFault(
  response: ServerResponse,
  error: unknown,
  { onFault }: Pick<RecipientServices, "onFault">,
): void {
  if (error instanceof RecipientRefusal) {
    const { code, message } = error
    answer(response, problems[code].status, { code, detail: message })
    return
  }
  // The recipient hung up.
  if (response.destroyed && !response.writableFinished) return
  onFault(error)
  if (response.headersSent) response.destroy()
  else response.writeHead(500).end()
}
