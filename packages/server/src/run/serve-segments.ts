import { open } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { createServer } from "node:https"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { isSegmentName } from "@assay/corpus/brought-segments"
import { servingTls } from "./node-tls.ts"

export interface SegmentsServer {
  close(): Promise<void>
}

export interface SegmentsPlace {
  readonly host: string
  readonly port: number
  /** Known to all nodes. */
  readonly key: Uint8Array
  readonly segments: string
}

export const SEGMENTS_PATH = "/segments/"
/** More than there are nodes in any cluster that was thought of. */
const CONNECTIONS_MAX = 64
const HANDSHAKE_MS = 5_000
/** A node that takes nothing for so long is gone. */
const IDLE_MS = 30_000

/** Gives other nodes the segments that this one has. Rejects where it cannot listen. */
export async function serveSegments({
  host,
  port,
  key,
  segments,
}: SegmentsPlace): Promise<SegmentsServer> {
  const server = createServer(
    {
      ...servingTls(key),
      handshakeTimeout: HANDSHAKE_MS,
      headersTimeout: HANDSHAKE_MS,
      requestTimeout: HANDSHAKE_MS,
      maxHeaderSize: 4096,
    },
    ({ method, url = "" }, response) => {
      // Bodies are of no use here.
      const name = url.startsWith(SEGMENTS_PATH) ? url.slice(SEGMENTS_PATH.length) : ""
      if (method !== "GET" || !isSegmentName(name)) return void response.writeHead(404).end()
      void send(join(segments, name), response).catch(() => response.destroy())
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  server.setTimeout(IDLE_MS, (socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  // A connection that could not be taken is tried again by whoever made it.
  server.on("error", () => undefined)
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function send(path: string, response: ServerResponse): Promise<void> {
  const file = await open(path, "r").catch(() => null)
  if (file === null) return void response.writeHead(404).end()
  try {
    const { size } = await file.stat()
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": size,
      connection: "close",
    })
    await pipeline(
      file.createReadStream({ autoClose: false, end: Math.max(0, size - 1) }),
      response,
    )
  } finally {
    await file.close()
  }
}
