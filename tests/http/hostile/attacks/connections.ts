import type { Socket } from "node:net"
import { type Attack, count, isOver, type Tally, type Target } from "../attack.ts"
import { formUpload } from "../multipart.ts"
import { endWithin, openConnection, pause } from "../raw-connection.ts"

/** More than the descriptors of a process allow. */
const CONNECTIONS = 1_500
const HELD_MS = 3_000
const REST_MS = 15_000

/**
 * Opens more connections than there are descriptors, holds those it got, lets all go, and again.
 */
export const connections: Attack = {
  name: "connections",
  async run({ port, dropPort }, tally, over) {
    while (!isOver(over)) {
      const held: Socket[] = []
      for (let n = 0; n < CONNECTIONS && !isOver(over); n++) {
        const socket = await openConnection(n % 2 === 0 ? port : dropPort)
        if (socket === null) count(tally, "refused")
        else held.push(socket.resume())
      }
      count(tally, "opened", held.length)
      await pause(HELD_MS, over)
      for (const socket of held) socket.destroy()
      await pause(REST_MS, over)
    }
  },
}

const READERS = 20
/**
 * Enough requests that the answers exceed what the kernel holds for a client that does not read.
 */
const PAGES = 40
const DEAF_MS = 60_000

/** Visitors who ask for long pages and read nothing of them. */
export const deafReaders: Attack = {
  name: "deaf readers",
  async run(target, tally, over) {
    await Promise.all(Array.from({ length: READERS }, () => askAndWait(target, tally, over)))
  },
}

async function askAndWait({ port }: Target, tally: Tally, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const socket = await openConnection(port)
    if (socket !== null) {
      socket.write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(PAGES))
      count(tally, "readers")
      await pause(DEAF_MS, over)
      socket.destroy()
    }
    await pause(500, over)
  }
}

const BEGINNINGS = [
  "POST /drop/form HTTP/1.1\r\n",
  "POST /drop/replies HTTP/1.1\r\nHost: localhost\r\n",
  "POST /drop/form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nmessage=never-finished",
]

/**
 * Visitors who hang up before their request is whole: once with FIN, once with RST, once without a
 * word.
 */
export const hangUps: Attack = {
  name: "hang-ups",
  async run({ dropPort }, tally, over) {
    for (let n = 0; !over.aborted; n++) {
      const socket = await openConnection(dropPort)
      if (socket !== null) {
        socket.write(BEGINNINGS[n % BEGINNINGS.length] ?? "")
        if (n % 3 === 0) socket.end()
        else if (n % 3 === 1) setTimeout(() => socket.resetAndDestroy(), 20)
        void endWithin(socket, 3_000)
        count(tally, "visitors")
      } else count(tally, "refused")
      await pause(250, over)
    }
  },
}

const SENDERS = 22
/** Just above what the drop asks for over a minute. */
const BYTES_A_SECOND = 1_100
const FILE_BYTES = 4_000_000

/** Senders who keep just the pace that is asked for, more of them than there are sealers. */
export const slowSenders: Attack = {
  name: "slow senders",
  async run({ dropPort }, tally, over) {
    await Promise.all(Array.from({ length: SENDERS }, () => sendSlowly(dropPort, tally, over)))
  },
}

async function sendSlowly(port: number, tally: Tally, over: AbortSignal): Promise<void> {
  while (!isOver(over)) {
    const socket = await openConnection(port)
    if (socket === null) {
      await pause(1_000, over)
      continue
    }
    count(tally, "connections")
    socket.resume()
    const { head, parts } = formUpload(FILE_BYTES, "slow")
    const all = Buffer.concat([head, ...parts])
    for (let at = 0; at < all.length && !socket.closed && !isOver(over); at += BYTES_A_SECOND) {
      if (socket.writable) socket.write(all.subarray(at, at + BYTES_A_SECOND))
      count(tally, "seconds held")
      await pause(1_000, over)
    }
    await endWithin(socket, 0)
    await pause(500, over)
  }
}

const CANCELLED_BYTES = 200_000

/** Where an upload is cancelled: after this many bytes. */
const PLACES: readonly ((head: number, first: number, all: number) => number)[] = [
  (head) => Math.floor(head / 2),
  (head, first) => head + Math.floor(first / 2),
  (head, first, all) => Math.floor((head + first + all) / 2),
  (_, __, all) => all,
]

/**
 * Uploads that break off in the head, the first part, the middle of a file, and after the last
 * byte.
 */
export const cancelledUploads: Attack = {
  name: "cancelled uploads",
  async run({ dropPort }, tally, over) {
    for (let n = 0; !over.aborted; n++) {
      const { head, parts } = formUpload(CANCELLED_BYTES, "cancelled")
      const all = Buffer.concat([head, ...parts])
      const place = PLACES[n % PLACES.length]?.(head.length, parts[0]?.length ?? 0, all.length) ?? 0
      const socket = await openConnection(dropPort)
      if (socket !== null) {
        socket.write(all.subarray(0, place), () => leave(socket, n))
        void endWithin(socket, 5_000)
        count(tally, "uploads")
      }
      await pause(1_000, over)
    }
  },
}

function leave(socket: Socket, n: number): void {
  if (n % 2 === 0) socket.resetAndDestroy()
  else socket.end()
}
