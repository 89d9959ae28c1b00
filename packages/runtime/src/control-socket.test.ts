import assert from "node:assert/strict"
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { callRunningServer, openControlSocket } from "./control-socket.ts"

test("a command of another version than the service is told to restart it", async (t) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "assay-control-"))
  const path = join(folder.path, "control.sock")
  assert.equal(await callRunningServer(path), null)
  const server = await openControlSocket(path, { greet: async () => "hello" })
  t.after(() => server.close())
  const running = await callRunningServer(path)
  assert.ok(running !== null)
  assert.equal(await running.call("greet"), "hello")
  await assert.rejects(running.call("wave"), /of another version: restart it/)
  running.close()
})
