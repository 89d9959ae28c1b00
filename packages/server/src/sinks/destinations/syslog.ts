import { readFileSync } from "node:fs"
import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { type Static, Type } from "typebox"
import { exactly } from "../../settings/settings-file.ts"
import { framed, syslogMessage } from "../formats/syslog.ts"
import { SinkError, type SinkKind, trusting } from "./destination.ts"
import { Format, formatted } from "./formatted.ts"

const SyslogSettings = Type.Object(
  {
    host: Type.String({
      takes: "a name or an address",
      pattern: "^[A-Za-z0-9.:_-]{1,253}$",
      description: "The log server.",
    }),
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: "Its port. Without it: 6514 with TLS, 514 without.",
      }),
    ),
    tls: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Without TLS everybody on the way reads what is sent, and can change it.",
      }),
    ),
    format: Format(["cef", "events", "ocsf", "ecs"], "cef"),
    confirmed: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Waits until the server has closed the connection, which it does after it has read all of it. Without it events count as sent once this machine's network has them.",
      }),
    ),
    ...trusting,
  },
  {
    ...exactly,
    title: "syslog",
    description:
      "A log server by RFC 5424, over TLS (RFC 5425) or plain TCP (RFC 6587), with the length before each message.",
  },
)
type SyslogSettings = Static<typeof SyslogSettings>

const BATCH_MS = 20_000
const TLS_PORT = 6514
const TCP_PORT = 514

/**
 * Syslog has no answers, so that a server which ends in the middle leaves nobody the wiser. Every
 * batch is a connection of its own, ended by us: a server that then ends its side without a fault
 * has read all of it.
 */
export const syslog: SinkKind<typeof SyslogSettings> = {
  settings: SyslogSettings,
  open(settings, from) {
    const { format = "cef", confirmed = true } = settings
    const begin = connector(settings)
    let current: Socket | null = null
    return {
      async send(events) {
        const bytes = Buffer.concat(
          events.map((event) => framed(syslogMessage(event, from, formatted(format, event)))),
        )
        const socket = begin()
        current = socket
        try {
          await sent(socket, bytes, confirmed)
        } finally {
          current = null
          socket.destroy()
        }
      },
      close: async () => void current?.destroy(),
    }
  },
}

function connector({ host, port, tls = true, ca_file }: SyslogSettings): () => Socket {
  const ca = ca_file === undefined ? undefined : readFileSync(ca_file, "utf8")
  if (tls) {
    // An address is no name to be told; the certificate is checked against it all the same.
    const name = isIP(host) === 0 ? { servername: host } : {}
    return () =>
      connectTls({ host, port: port ?? TLS_PORT, ...name, ...(ca !== undefined && { ca }) })
  }
  return () => connect({ host, port: port ?? TCP_PORT })
}

async function sent(socket: Socket, bytes: Buffer, confirmed: boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => reject(new SinkError("timed-out")), BATCH_MS)
  socket.once("error", (error: Error & { code?: string }) =>
    reject(new SinkError(codeOf(error.code), { cause: error })),
  )
  // What it says must not fill a buffer.
  socket.resume()
  // It says nothing more, and so has read all: what is left unread is told as a reset.
  socket.once("end", () => {
    if (socket.writableFinished) resolve(undefined)
  })
  socket.once("close", () => reject(new SinkError("cut-off")))
  socket.end(bytes, () => {
    if (!confirmed) resolve(undefined)
  })
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

function codeOf(code = ""): string {
  if (code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "ENETUNREACH")
    return "not-reached"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "name-not-found"
  if (code === "ETIMEDOUT") return "timed-out"
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code) ? "tls-failed" : "cut-off"
}
