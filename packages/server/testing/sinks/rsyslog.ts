import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

/** A log server as operators run it. */
export interface Rsyslog {
  readonly port: number
  readonly tlsPort: number
  /** The certificate that its own is signed by. */
  readonly caFile: string
  /** What it wrote so far: one array of members a message. */
  lines(): RsyslogLine[]
  /** As a crash of its machine would. */
  kill(): Promise<void>
  start(): Promise<void>
}

export interface RsyslogLine {
  readonly priority: number
  readonly time: string
  readonly host: string
  readonly program: string
  readonly id: string
  readonly message: string
}

const PROGRAM = ["/usr/sbin/rsyslogd", "/sbin/rsyslogd"].find((file) => existsSync(file))
const HAS_TLS = globSync("/usr/lib/*/rsyslog/lmnsd_gtls.so").length > 0

/** Why there is none; null: it can be started. */
export const rsyslogMissing =
  PROGRAM === undefined || !HAS_TLS ? "rsyslog with rsyslog-gnutls is not installed" : null

export async function rsyslogIn(folder: string): Promise<Rsyslog> {
  mkdirSync(join(folder, "work"), { recursive: true })
  const at = (name: string): string => join(folder, name)
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-keyout", at("key.pem"), "-out", at("cert.pem")],
  ])
  assert.equal(made.status, 0, made.stderr.toString())
  const [port, tlsPort] = [await freePort(), await freePort()]
  writeFileSync(
    at("rsyslog.conf"),
    `global(workDirectory="${at("work")}" maxMessageSize="64k"
  defaultNetstreamDriverCAFile="${at("cert.pem")}"
  defaultNetstreamDriverCertFile="${at("cert.pem")}"
  defaultNetstreamDriverKeyFile="${at("key.pem")}")
module(load="imtcp")
template(name="members" type="list" option.jsonf="on") {
  property(outname="priority" name="pri" format="jsonf")
  property(outname="time" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="program" name="app-name" format="jsonf")
  property(outname="id" name="msgid" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}
ruleset(name="kept") { action(type="omfile" file="${at("messages")}" template="members") }
input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="kept")
input(type="imtcp" address="127.0.0.1" port="${tlsPort}" ruleset="kept"
  streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
`,
  )
  let child: ReturnType<typeof spawn> | null = null
  return {
    ...{ port, tlsPort, caFile: at("cert.pem") },
    lines() {
      if (!existsSync(at("messages"))) return []
      const written = readFileSync(at("messages"), "utf8")
      const whole = written.slice(0, written.lastIndexOf("\n") + 1)
      return whole
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const { priority, ...rest } = JSON.parse(line) as Omit<RsyslogLine, "priority"> & {
            readonly priority: string
          }
          return { ...rest, priority: Number(priority) }
        })
    },
    async start() {
      const run = ["-n", "-f", at("rsyslog.conf"), "-i", at("pid")]
      child = spawn(PROGRAM ?? assert.fail(), run, { stdio: "ignore" })
      for (const each of [port, tlsPort]) await listening(each)
    },
    async kill() {
      const ended = child && child.exitCode === null ? once(child, "exit") : null
      child?.kill("SIGKILL")
      await ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

async function listening(port: number): Promise<void> {
  const { connect } = await import("node:net")
  const deadline = Date.now() + 60_000
  for (;;) {
    const socket = connect(port, "127.0.0.1")
    const isThere = await once(socket, "connect").then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    assert.ok(Date.now() < deadline, "rsyslog did not start")
    await delay(50)
  }
}
