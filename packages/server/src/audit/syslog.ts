import { createSocket } from "node:dgram"
import { connect, isIPv6 } from "node:net"
import type { SyslogTarget } from "../base/syslog-target.ts"

const SEND_MS = 5_000
/** Facility 13, log audit; severity 5, notice. RFC 5424, 6.2.1. */
const PRIORITY = 13 * 8 + 5

export interface SyslogMessage {
  readonly at: number
  readonly host: string
  readonly id: string
  /** ASCII without line ends. */
  readonly text: string
}

/** A message of RFC 5424, without structured data. */
export function syslogLine({ at, host, id, text }: SyslogMessage): string {
  const name = host.replace(/[^\x21-\x7e]/g, "").slice(0, 255) || "-"
  return `<${PRIORITY}>1 ${new Date(at).toISOString()} ${name} assay - ${id} - ${text}`
}

/**
 * Resolves when the message has been handed to the network; by TCP, when the peer's side took it.
 */
export async function sendSyslog(target: SyslogTarget, line: string): Promise<void> {
  await (target.protocol === "udp" ? sendDatagram(target, line) : sendStream(target, line))
}

async function sendDatagram({ host, port }: SyslogTarget, line: string): Promise<void> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4")
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject)
    socket.send(line, port, host, (error) => (error === null ? resolve() : reject(error)))
  }).finally(() => socket.close())
}

/** RFC 6587, octet counting: the length says where a message ends, whatever it contains. */
async function sendStream({ host, port }: SyslogTarget, line: string): Promise<void> {
  const socket = connect({ host, port })
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject)
    socket.once("close", () => resolve())
    socket.setTimeout(SEND_MS, () => {
      // A server that took the line need not close the connection.
      const taken = socket.writableFinished
      socket.destroy(taken ? undefined : new Error("The log server does not answer"))
    })
    // A log server says nothing; what it says nevertheless must not fill a buffer.
    socket.resume()
    socket.end(`${Buffer.byteLength(line)} ${line}`)
  }).finally(() => socket.destroy())
}
