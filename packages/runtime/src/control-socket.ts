import { chmodSync, rmSync } from "node:fs"
import { connect, createServer, type Server } from "node:net"
import { socketChannel } from "./channels.ts"
import { type Call, type Methods, openCalls, RemoteError, serve } from "./rpc.ts"
import { Explained } from "./explained.ts"

/** Linux and macOS give a socket's path 108 and 104 bytes, a closing zero included. */
const PATH_MAX = 103

/**
 * Lets commands of the same user reach the running server. The caller holds the directory's lock,
 * so a socket that is already there is a dead one's.
 */
export async function openControlSocket(path: string, methods: Methods): Promise<Server> {
  if (Buffer.byteLength(path) > PATH_MAX) {
    throw new Explained(
      "data-directory",
      `The data directory's path is too long: ${path} may have ${PATH_MAX} bytes`,
    )
  }
  rmSync(path, { force: true })
  const server = createServer((socket) => serve(socketChannel(socket), methods))
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return server
}

/** A connection to the server that runs on this data directory, or null where none does. */
export async function callRunningServer(
  path: string,
): Promise<{ call: Call; close(): void } | null> {
  const socket = connect(path)
  const connected = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true))
    socket.once("error", () => resolve(false))
  })
  if (!connected) return null
  const within = openCalls(socketChannel(socket))(30_000)
  const call: Call = async (...asked) => {
    try {
      return await within(...asked)
    } catch (error) {
      if (!(error instanceof RemoteError && error.code === "unknown-method")) throw error
      throw new Explained(
        "data-directory",
        "The service that runs here is of another version: restart it, and then try again",
      )
    }
  }
  return { call, close: () => void socket.end() }
}
