import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { DROP_SOCKET } from "./sockets.ts"
import { passOn } from "./shared-port.ts"

/** A port that is shared with a drop which answers so. */
async function sharedPort(t: TestContext, drop: RequestListener): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "assay-shared-"))
  const behind = createServer(drop)
  const front = createServer()
  passOn(folder)(front)
  t.after(() => {
    for (const server of [front, behind]) server.close().closeAllConnections()
    rmSync(folder, { recursive: true })
  })
  await new Promise<void>((resolve) => void behind.listen(join(folder, DROP_SOCKET), resolve))
  await new Promise<void>((resolve) => void front.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}/drop`
}

test("an answer of the drop arrives whole", async (t) => {
  const url = await sharedPort(t, (_request, response) => void response.end("a page"))
  assert.equal(await (await fetch(url)).text(), "a page")
})

test("a drop that dies in the middle of its answer ends the visitor's connection, who would wait for ever", async (t) => {
  const url = await sharedPort(t, (_request, response) => {
    response.writeHead(200, { "content-length": "1000" })
    response.write("half a page", () => response.destroy())
  })
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  await assert.rejects(response.text(), { name: "TypeError", message: "terminated" })
})
