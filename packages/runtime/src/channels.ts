import type { ChildProcess } from "node:child_process"
import type { Worker as ClusterWorker } from "node:cluster"
import type { Socket } from "node:net"
import { deserialize, serialize } from "node:v8"
import type { MessagePort, Worker as Thread } from "node:worker_threads"
import type { Channel } from "./rpc.ts"

/** Either end of a thread: its port inside, the thread itself outside. */
export function threadChannel(port: Pick<MessagePort, "postMessage" | "on"> | Thread): Channel {
  return {
    send: (message) => (port as MessagePort).postMessage(message),
    onMessage: (listener) => void port.on("message", listener),
    onClose: (listener) => void port.on("threadId" in port ? "exit" : "close", listener),
  }
}

/** The primary's side of its pipe to a worker. */
export function workerChannel(worker: ClusterWorker): Channel {
  return {
    // A worker that just died gets nothing; its calls fail by `onClose` on its own side.
    send(message) {
      if (worker.isConnected()) worker.send(message as object)
    },
    onMessage: (listener) => void worker.on("message", listener),
    onClose: (listener) => void worker.once("disconnect", listener),
  }
}

/** A parent's side of its pipe to a child process. */
export function childChannel(child: ChildProcess): Channel {
  return {
    // As with a worker: a child that just died gets nothing.
    send(message) {
      if (child.connected) child.send(message as object)
    },
    onMessage: (listener) => void child.on("message", listener),
    onClose(listener) {
      child.once("disconnect", listener)
      // A child that could not be started has no pipe that could close.
      child.once("error", () => {
        if (child.pid === undefined) listener()
      })
    },
  }
}

/** The part of `process` a worker needs to reach its primary; main.ts hands it in. */
export interface ParentPipe {
  readonly connected: boolean
  send?(message: unknown): boolean
  on(event: "message", listener: (message: unknown) => void): unknown
  once(event: "disconnect", listener: () => void): unknown
}

export function parentChannel(parent: ParentPipe): Channel {
  return {
    send(message) {
      if (parent.connected) parent.send?.(message)
    },
    onMessage: (listener) => void parent.on("message", listener),
    onClose: (listener) => void parent.once("disconnect", listener),
  }
}

const FRAME_MAX = 16 * 1024 * 1024

/** Messages over a byte stream: four bytes of length, then a structured clone. */
export function socketChannel(socket: Socket): Channel {
  const listeners: ((message: unknown) => void)[] = []
  let pending: Buffer = Buffer.alloc(0)
  socket.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 4) {
      const length = pending.readUInt32BE(0)
      if (length > FRAME_MAX) return socket.destroy()
      if (pending.length < 4 + length) return
      const frame = pending.subarray(4, 4 + length)
      pending = pending.subarray(4 + length)
      try {
        const message: unknown = deserialize(frame)
        for (const listener of listeners) listener(message)
      } catch {
        // The other end does not speak this protocol: there is nobody to answer.
        return socket.destroy()
      }
    }
  })
  socket.on("error", () => socket.destroy())
  return {
    send(message) {
      const body = serialize(message)
      const head = Buffer.alloc(4)
      head.writeUInt32BE(body.length)
      socket.write(Buffer.concat([head, body]))
    },
    onMessage: (listener) => void listeners.push(listener),
    onClose: (listener) => void socket.once("close", listener),
  }
}
