// Loaded before a program (`node --import`): what it would connect to on some ports of this machine
// goes to others instead, so that a test is the network of one program and of nobody else.
import { Socket } from "node:net"

const ports = JSON.parse(process.env["THROUGH_PROXIES"] ?? "{}") as Readonly<Record<string, number>>
const elsewhere = (port: unknown): unknown => ports[String(port)] ?? port

const connect = Reflect.get(Socket.prototype, "connect") as (
  this: Socket,
  ...args: unknown[]
) => Socket
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const [first] = args
  // Node's own callers have put the arguments into one list before.
  const given: unknown = Array.isArray(first) ? first[0] : first
  if (typeof given === "object" && given !== null && "port" in given) {
    given.port = elsewhere(given.port)
  } else if (!Array.isArray(first)) args[0] = elsewhere(first)
  return Reflect.apply(connect, this, args)
}
