// A process that sees what one sender wrote. It is started without core dumps and with nothing in
// its environment, takes one connection, writes no file, and ends with the connection. It runs from
// one file, which scripts/build-sealer.ts makes of this.
import type { Socket } from "node:net"
import process from "node:process"
import { parentChannel } from "@assay/runtime/channels"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { openCalls, remote } from "@assay/runtime/rpc"
import { publicDropPort } from "../public-drop.ts"
import { plainRequests } from "./plain-requests.ts"
import type { Report } from "./progress.ts"
import { CONNECTION, type GiveWay, type SealerSettings } from "./sealer-settings.ts"
import { takeConnection } from "./take-connection.ts"

/** The disk may be busy with the rewrite of the drop's file, which everybody waits for. */
const CALL_MS = 60_000

closeInheritedFiles()
// A terminal sends Ctrl-C to every process; this one ends only on its parent's order, or when its
// parent is gone.
process.on("SIGINT", () => undefined)
process.once("disconnect", () => process.exit(1))

const channel = parentChannel(process)
const drop = remote(publicDropPort, openCalls(channel)(CALL_MS))
const head = readHead()
const report = (content: Report): void => channel.send({ report: content })

process.once("message", (message) => {
  const { settings } = message as { settings: SealerSettings }
  const handler = plainRequests(drop, settings)
  let giveWay: (phase: GiveWay["giveWay"]) => void = () => undefined
  process.on("message", (next, socket) => {
    if (isGiveWay(next)) giveWay(next.giveWay)
    if (next !== CONNECTION) return
    // The sender left while the connection was on its way.
    if (socket === undefined) process.exit(0)
    const taken = takeConnection(socket as Socket, head, handler, { ...settings, report })
    giveWay = taken.giveWay
    void taken.over.finally(() => process.exit(0))
  })
  report({ phase: "ready", bytes: 0 })
})

function isGiveWay(message: unknown): message is GiveWay {
  return typeof message === "object" && message !== null && "giveWay" in message
}

/** What the drop process had read of the connection before it knew that it must not. */
async function readHead(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
