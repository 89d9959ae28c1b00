// What tests of examples/ share: services that do not answer, and programs of the folder.
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer as createHttpServer, type Server as HttpServer } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { after } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import { root } from "../../scripts/repository.ts"
import { bareEnvironment } from "./bare-environment.ts"

/** People of the demo, by what is recommended about them. */
export const PEOPLE = {
  allow: "lena.fischer@mail.example",
  step_up_auth: "ana.silva@mail.example",
  block: "sofia.rossi@mail.example",
} as const

/** A number of the demo whose SIM changed two hours ago. */
export const SWAPPED = "+61491570156"

/** What Assay says to be no address, although it has the sign of one. */
export const UNREADABLE = "somebody@[192.0.2.1]"

/** Nothing is known of them. One for each sign-up: many sign-ups of one mailbox would count. */
export const STRANGERS = {
  auth0: "omar.haddad@mail.example",
  cognito: "clara.lindqvist@mail.example",
  okta: "jonas.weber@mail.example",
  kratos: "amina.diallo@mail.example",
  entra: "ingrid.solberg@mail.example",
  keycloak: "tomas.novak@mail.example",
} as const

const IDENTITIES = [...Object.values(PEOPLE), ...Object.values(STRANGERS), SWAPPED, UNREADABLE]

/** On a busy machine an answer may take a while. Only who is silent is given up on in time. */
export const PATIENCE_MS = 60_000

/** Logs of an example may be read by many: they name nobody, and hold no key. */
export function assertNamesNobody(log: string, key = ""): void {
  for (const identity of IDENTITIES) {
    assert.ok(!log.includes(identity), "an identity is in the log")
    assert.ok(!log.includes(identity.split("@")[0] ?? ""), "a part of an identity is in the log")
  }
  assert.ok(key === "" || !log.includes(key), "the key is in the log")
}

/** Waits for a line: what a program has printed may arrive after its answer. */
export async function logHas(log: () => string, line: RegExp): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!line.test(log())) {
    assert.ok(Date.now() < deadline, `no line ${String(line)} in: ${log()}`)
    await delay(10)
  }
}

export function examplePath(...path: string[]): string {
  return join(root, "examples", ...path)
}

/** Modules of examples/ have no types: the caller says what it takes them for. */
export async function importExample(...path: string[]): Promise<unknown> {
  return await import(pathToFileURL(examplePath(...path)).href)
}

const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing) await close()
})

/** Where nobody listens. */
export async function nobodyThere(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`
}

/** Takes every connection, and never answers. */
export async function startDeafService(): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => sockets.add(socket.on("error", () => undefined)))
  await once(server.listen(0, "127.0.0.1"), "listening")
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers everything with 200 and the same, such as the page of a captive proxy. */
export async function startPages(page = "<html>Welcome</html>"): Promise<string> {
  const server: HttpServer = createHttpServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(page),
  )
  await once(server.listen(0, "127.0.0.1"), "listening")
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Program {
  readonly url: string
  /** All that it wrote to both of its streams. */
  readonly output: () => string
  readonly stop: () => Promise<void>
}

const programs = new Set<ChildProcess>()
after(() => {
  for (const program of programs) program.kill("SIGKILL")
})

/** Starts a program of examples/ that listens, as its README says to. */
export async function startExample(
  path: readonly string[],
  env: Record<string, string>,
): Promise<Program> {
  const child = spawn(process.execPath, [examplePath(...path)], {
    env: { ...bareEnvironment(), PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  programs.add(child)
  let output = ""
  const listening = new Promise<string>((resolve, reject) => {
    const look = (text: string): void => {
      output += text
      const port = /Listening on (\d+)/.exec(output)?.[1]
      if (port !== undefined) resolve(port)
    }
    child.stdout.setEncoding("utf8").on("data", look)
    child.stderr.setEncoding("utf8").on("data", look)
    child.once("close", () => reject(new Error(`It ended: ${output}`)))
  })
  const port = await listening
  return {
    url: `http://127.0.0.1:${port}/`,
    output: () => output,
    async stop() {
      const closed = once(child, "close")
      child.kill("SIGTERM")
      await closed
      programs.delete(child)
    },
  }
}
