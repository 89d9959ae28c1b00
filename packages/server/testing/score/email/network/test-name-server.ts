import { createSocket } from "node:dgram"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { after } from "node:test"
import {
  AUTHORITATIVE_ANSWER,
  type Answer,
  decode,
  encode,
  type Packet,
  streamDecode,
  TRUNCATED_RESPONSE,
} from "dns-packet"

/** How a server misbehaves. What is `held` is answered when the test says so. */
export type Fault = "servfail" | "refused" | "silent" | "garbage" | "held"

/** The records of one name by type; a type that is left out has none. */
export interface Records {
  readonly MX?: readonly (readonly [preference: number, exchange: string])[] | Fault
  readonly A?: readonly string[] | Fault
  readonly AAAA?: readonly string[] | Fault
  /** A record of several character strings is an array. */
  readonly TXT?: readonly (string | readonly string[])[] | Fault
  readonly NS?: readonly string[] | Fault
  /** Over UDP only the truncation bit is sent, so that the question comes again over TCP. */
  readonly truncated?: true
}

export interface Question {
  readonly name: string
  readonly type: string
  readonly transport: "udp" | "tcp"
}

export interface TestNameServer {
  /** As `ASSAY_DNS` takes it. */
  readonly address: string
  /** Every question that arrived, in order. */
  readonly asked: readonly Question[]
  /** Answers the held questions, and from now on everything at once. */
  release(): void
  close(): void
}

type RecordType = "MX" | "A" | "AAAA" | "TXT" | "NS"
type Send = (reply: Buffer) => void

// Codes of RFC 1035, section 4.1.1, which the low four bits of the flags carry.
const RCODES = { noerror: 0, servfail: 2, nxdomain: 3, refused: 5 }

const opened = new Set<TestNameServer>()
after(() => {
  for (const server of opened) server.close()
})

/**
 * A name server on loopback that answers from a script, over UDP and TCP. A name not in it does not
 * exist.
 */
export async function openTestNameServer(
  names: Readonly<Record<string, Records | Fault>>,
): Promise<TestNameServer> {
  const asked: Question[] = []
  const held: (() => void)[] = []
  let holding = true

  const answer = (query: Packet, transport: Question["transport"], send: Send): void => {
    const [question] = query.questions ?? []
    if (question === undefined) return
    const { name, type } = question
    asked.push({ name, type, transport })
    const script = names[name.toLowerCase()]
    const records = typeof script === "object" ? script[type as RecordType] : script
    const fault = typeof records === "string" ? records : null
    if (fault === "silent") return
    if (fault === "garbage") {
      send(garbageFor(query))
      return
    }
    const truncated = typeof script === "object" && script.truncated === true && transport === "udp"
    const rcode =
      fault === "servfail" || fault === "refused"
        ? RCODES[fault]
        : script === undefined
          ? RCODES.nxdomain
          : RCODES.noerror
    const reply = encode({
      type: "response",
      id: query.id ?? 0,
      flags: AUTHORITATIVE_ANSWER | (truncated ? TRUNCATED_RESPONSE : 0) | rcode,
      questions: [question],
      answers:
        truncated || typeof records !== "object"
          ? []
          : records.map((record) => answerOf(name, type as RecordType, record)),
    })
    if (fault === "held" && holding) held.push(() => send(reply))
    else send(reply)
  }

  const udp = createSocket("udp4")
  udp.on("message", (message, { port, address }) =>
    answer(decode(message), "udp", (reply) => udp.send(reply, port, address)),
  )
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    let received: Buffer = Buffer.alloc(0)
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const size = 2 + received.readUInt16BE(0)
        const query = streamDecode(received.subarray(0, size))
        received = received.subarray(size)
        answer(query, "tcp", (reply) => socket.write(framed(reply)))
      }
    })
  })
  await new Promise<void>((resolve) => void tcp.listen(0, "127.0.0.1", resolve))
  const { port } = tcp.address() as AddressInfo
  await new Promise<void>((resolve, reject) => {
    udp.once("error", reject)
    udp.bind(port, "127.0.0.1", resolve)
  })

  const server: TestNameServer = {
    address: `127.0.0.1:${port}`,
    asked,
    release() {
      holding = false
      for (const send of held.splice(0)) send()
    },
    close() {
      if (!opened.delete(server)) return
      udp.close()
      tcp.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  opened.add(server)
  return server
}

function answerOf(
  name: string,
  type: RecordType,
  record: string | readonly string[] | readonly [number, string],
): Answer {
  if (type === "MX") {
    const [preference, exchange] = record as readonly [number, string]
    return { name, type, ttl: 60, data: { preference, exchange } }
  }
  if (type === "TXT")
    return {
      name,
      type,
      ttl: 60,
      data: typeof record === "string" ? record : ([...record] as string[]),
    }
  return { name, type, ttl: 60, data: record as string }
}

/** The right id, so that it is taken for the reply, and then no DNS message. */
function garbageFor(query: Packet): Buffer {
  const bytes = Buffer.alloc(40, 0xff)
  bytes.writeUInt16BE(query.id ?? 0, 0)
  return bytes
}

/** RFC 1035, section 4.2.2: over TCP a message follows its length. */
function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
