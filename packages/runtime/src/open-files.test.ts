import assert from "node:assert/strict"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { test } from "node:test"
import { connectionsMax, limitConnections } from "./open-files.ts"

test("connections leave room for files, whatever the system allows", () => {
  for (const filesMax of [256, 1024, 65_536]) {
    const max = connectionsMax(1, filesMax)
    assert.ok(max >= filesMax / 2 && max <= filesMax - 64, `${max} of ${filesMax}`)
    assert.ok(2 * connectionsMax(2, filesMax) <= max)
  }
  assert.equal(connectionsMax(1, 16), 8)
  assert.equal(connectionsMax(1, Infinity), Infinity)
  assert.ok(connectionsMax() >= 8)
})

test("servers share what they may have, and what is closed is free for either", async () => {
  const limit = limitConnections(3)
  const servers = await Promise.all([1, 2].map(() => listening(limit)))
  const [first, second] = servers as [Server, Server]
  const kept: Socket[] = []
  for (const server of [first, first, second]) kept.push(await greeted(server))
  for (const server of servers) assert.equal(await refused(server), true)
  kept.shift()?.destroy()
  while (!(await tried(second))) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const socket of kept) socket.destroy()
  for (const server of servers) server.close()
})

async function listening(limit: (server: Server) => void): Promise<Server> {
  const server = createServer((socket) => void socket.on("error", () => undefined).write("hello"))
  limit(server)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return server
}

async function greeted(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  await once(socket, "data")
  return socket
}

/** Whether a connection is closed without a word. */
async function refused(server: Server): Promise<boolean> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  socket.on("error", () => undefined)
  const word = await Promise.race([
    once(socket, "data").then(() => true),
    once(socket, "close").then(() => false),
  ])
  socket.destroy()
  return !word
}

async function tried(server: Server): Promise<boolean> {
  return !(await refused(server))
}
