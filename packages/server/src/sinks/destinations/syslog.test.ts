import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { type Rsyslog, rsyslogIn, rsyslogMissing } from "../../../testing/sinks/rsyslog.ts"
import { sampleEvents } from "../../../testing/sinks/sample-events.ts"
import { cefOf } from "../formats/cef.ts"
import { syslog } from "./syslog.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-syslog-"))
after(() => rmSync(folder, { recursive: true }))
const from = { host: "assay-1", pid: 7, print: () => assert.fail("nothing is printed") }
const events = sampleEvents()
// Where it must be there, its absence is a failure.
const skip = process.env["CI"] === "true" ? false : (rsyslogMissing ?? false)

async function withRsyslog(name: string, work: (server: Rsyslog) => Promise<void>): Promise<void> {
  const server = await rsyslogIn(join(folder, name))
  await server.start()
  try {
    await work(server)
  } finally {
    await server.kill()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!isSo()) {
    assert.ok(Date.now() < deadline)
    await delay(10)
  }
}

test("rsyslog reads every kind of event as CEF, over TLS and over TCP", { skip }, () =>
  withRsyslog("both", async (server) => {
    const { port, tlsPort, caFile } = server
    const ways = [
      { host: "localhost", port: tlsPort, ca_file: caFile },
      { host: "127.0.0.1", port, tls: false },
    ]
    for (const [n, settings] of ways.entries()) {
      const destination = syslog.open(settings, from)
      await destination.send(events)
      await until(() => server.lines().length === (n + 1) * events.length)
      await destination.close()
    }
    const expected = events.map((event) => ({
      host: "assay-1",
      program: "assay",
      id: event.type,
      message: cefOf(event),
    }))
    const lines = server.lines()
    assert.deepEqual(
      lines.map(({ host, program, id, message }) => ({ host, program, id, message })),
      [...expected, ...expected],
    )
    assert.deepEqual(
      new Set(lines.map(({ time }) => Date.parse(time))),
      new Set([Date.parse("2026-11-18T09:30:00.125Z")]),
    )
    // Facility 13, and a severity by what happened.
    assert.ok(lines.every(({ priority }) => priority >> 3 === 13))
    assert.ok(new Set(lines.map(({ priority }) => priority & 7)).size > 2)
  }),
)

test("as JSON a message holds whatever an event does, line ends and all", { skip }, () =>
  withRsyslog("json", async (server) => {
    const [first = assert.fail()] = events
    const odd = { ...first, data: { ...first.data, note: 'ü "quoted"\n<13>1 - no header' } }
    const long = { ...first, data: { ...first.data, note: "x".repeat(19_000) } }
    const settings = { host: "127.0.0.1", port: server.port, tls: false, format: "events" as const }
    const destination = syslog.open(settings, from)
    await destination.send([odd, long])
    await until(() => server.lines().length === 2)
    assert.deepEqual(
      server.lines().map(({ message }) => JSON.parse(message) as unknown),
      [odd, long],
    )
    await destination.close()
  }),
)

test("a certificate that nobody trusts, or of another name, gets nothing", { skip }, () =>
  withRsyslog("tls", async (server) => {
    const { tlsPort: port, caFile: ca_file } = server
    for (const settings of [
      { host: "localhost", port },
      { host: "127.0.0.2", port, ca_file },
    ]) {
      const destination = syslog.open(settings, from)
      await assert.rejects(destination.send(events), { name: "SinkError" })
      await destination.close()
    }
    await delay(200)
    assert.deepEqual(server.lines(), [])
  }),
)

test("a server that ends before it has read all of a batch has not taken it", async () => {
  const held: Socket[] = []
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    held.push(socket)
    setTimeout(() => socket.resetAndDestroy(), 20)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const destination = syslog.open({ host: "127.0.0.1", port, tls: false }, from)
  await assert.rejects(destination.send(events), { code: "cut-off" })
  assert.equal(held.length, 1)
  server.close()
  await once(server, "close")
  await assert.rejects(destination.send(events), { code: "not-reached" })
})

test("a server that never ends its side has taken it only where nobody waits for that", async () => {
  const held: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    held.push(socket.resume())
    socket.on("error", () => undefined)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const settings = { host: "127.0.0.1", port, tls: false }
  const hasty = syslog.open({ ...settings, confirmed: false }, from)
  await hasty.send(events)
  const patient = syslog.open(settings, from)
  const sent = patient.send(events).then(
    () => "taken",
    (error: unknown) => (error as { code: string }).code,
  )
  await delay(100)
  await patient.close()
  assert.equal(await sent, "cut-off")
  server.close()
  for (const socket of held) socket.destroy()
})
