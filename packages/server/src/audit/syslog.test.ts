import assert from "node:assert/strict"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { test } from "node:test"
import { text } from "node:stream/consumers"
import { readSyslogTarget } from "../base/syslog-target.ts"
import { sendSyslog, syslogLine } from "./syslog.ts"

const at = Date.UTC(2026, 2, 1)
const line = syslogLine({ at, host: "a b\u00e9c", id: "audit-head", text: '{"seq":7}' })

test("a line is one of RFC 5424, with a host name that has no spaces", () => {
  assert.equal(line, '<109>1 2026-03-01T00:00:00.000Z abc assay - audit-head - {"seq":7}')
})

test("a line arrives by UDP as it is", async () => {
  const server = createSocket("udp4").bind(0, "127.0.0.1")
  await once(server, "listening")
  const arrived = once(server, "message")
  await sendSyslog({ protocol: "udp", host: "127.0.0.1", port: server.address().port }, line)
  const [message] = (await arrived) as [Buffer]
  server.close()
  assert.equal(message.toString(), line)
})

test("a line arrives by TCP with its length before it", async () => {
  const { promise: arrived, resolve, reject } = Promise.withResolvers<string>()
  const server = createServer((socket) => void text(socket).then(resolve, reject))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await sendSyslog({ protocol: "tcp", host: "127.0.0.1", port }, line)
  assert.equal(await arrived, `${Buffer.byteLength(line)} ${line}`)
  server.close()
})

test("a log server that is not there is an error by TCP", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  await assert.rejects(sendSyslog({ protocol: "tcp", host: "127.0.0.1", port }, line), {
    code: "ECONNREFUSED",
  })
})

test("where lines go is a URL of a host and nothing else", () => {
  assert.deepEqual(readSyslogTarget("udp://log.example"), {
    protocol: "udp",
    host: "log.example",
    port: 514,
  })
  assert.deepEqual(readSyslogTarget("tcp://[::1]:6514"), {
    protocol: "tcp",
    host: "::1",
    port: 6514,
  })
  for (const wrong of [
    "",
    "log.example",
    "http://log.example",
    "udp://",
    "udp://a:b@c",
    "tcp://a/b",
  ])
    assert.equal(readSyslogTarget(wrong), null, wrong)
})
