import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { root } from "../../scripts/repository.ts"

const folder = join(root, "deploy", "drop")
const site = readFileSync(join(folder, "nginx.conf"), "utf8")
const torrc = readFileSync(join(folder, "torrc"), "utf8")
const unit = readFileSync(join(folder, "systemd.conf"), "utf8")

/** The directives of a block of nginx, by the words that open it; blocks within it are left out. */
function directives(text: string, opening: RegExp): string[][] {
  const plain = text.replaceAll(/#.*$/gm, "")
  return [...plain.matchAll(/^(\w[^{};]*)\{/gm)]
    .filter(([, words = ""]) => opening.test(words.trim()))
    .map(({ index, 0: found }) => {
      let depth = 1
      let body = ""
      for (const character of plain.slice(index + found.length)) {
        if (character === "{") depth++
        if (character === "}") depth--
        if (depth === 0) break
        if (depth === 1) body += character
      }
      return body
        .split(/[;}]/)
        .map((line) => line.trim().replaceAll(/\s+/g, " "))
        .filter(Boolean)
    })
}

test("the proxy's site writes nothing down: no access lines, no faults, no bodies, no sessions", () => {
  const servers = directives(site, /^server$/)
  assert.equal(servers.length, 2)
  for (const server of servers) {
    assert.ok(server.includes("access_log off"))
    assert.ok(server.includes("error_log /dev/null crit"))
  }
  const [drop = []] = servers
  for (const line of [
    "proxy_request_buffering off",
    "proxy_buffering off",
    "proxy_max_temp_file_size 0",
    "proxy_next_upstream off",
    "gzip off",
    "ssl_session_cache off",
    "ssl_session_tickets off",
    "client_max_body_size 34m",
  ])
    assert.ok(drop.includes(line), line)
  assert.equal([...site.matchAll(/\baccess_log\b/g)].length, 2)
  for (const never of [
    /client_body_in_file_only/,
    /client_body_temp_path|proxy_temp_path/,
    /proxy_cache|proxy_store/,
    /\$(?:remote|binary_remote|proxy_add_x_forwarded|realip|http_|request_body|cookie)/,
    /limit_req|limit_conn|log_format|mirror|sub_filter|add_header/,
  ])
    assert.doesNotMatch(site.replaceAll(/#.*$/gm, ""), never)
})

test("the onion service asks for work under attack, writes no log and gives up no anonymity", () => {
  const lines = torrc.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  assert.ok(lines.includes("HiddenServicePoWDefensesEnabled 1"))
  assert.ok(lines.includes("SafeLogging 1"))
  assert.deepEqual(
    lines.filter((line) => line.startsWith("Log ")),
    ["Log err file /dev/null"],
  )
  assert.doesNotMatch(
    lines.join("\n"),
    /SingleHop|NonAnonymous|ExportCircuitID|SocksPort [^0]|ControlPort/,
  )
  const [, target] = /^HiddenServicePort 80 127\.0\.0\.1:(\d+)$/m.exec(torrc) ?? []
  // All three files speak of the same port.
  assert.ok(target !== undefined && site.includes(`server 127.0.0.1:${target};`))
  assert.match(unit, new RegExp(`^Environment=DROP_PORT=${target}$`, "m"))
})

test("systemd may write no memory of the drop to a disk", (context) => {
  const lines = unit.split("\n")
  for (const line of ["LimitCORE=0", "MemorySwapMax=0", "CoredumpFilter=0"])
    assert.ok(lines.includes(line), line)
  if (spawnSync("systemd-analyze", ["--version"]).error !== undefined) {
    context.skip("no systemd-analyze on this machine")
    return
  }
  const temporary = mkdtempSync(join(tmpdir(), "assay-unit-"))
  context.after(() => rmSync(temporary, { recursive: true }))
  const file = join(temporary, "assay.service")
  const service = readFileSync(join(root, "deploy", "assay.service"), "utf8")
  writeFileSync(file, service.replace("ExecStart=/usr/bin/node ", `ExecStart=${process.execPath} `))
  mkdirSync(`${file}.d`)
  writeFileSync(join(`${file}.d`, "drop.conf"), unit)
  const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" })
  assert.equal(stdout + stderr, "")
})

const UPLOAD_BYTES = 30_000_000
const ANSWER_BYTES = 1_572_864

interface Passed {
  /** What came out at the service's side. */
  readonly received: number
  readonly headers: IncomingHttpHeaders
  readonly answered: number
  /** Folders of nginx in which a file was made, even if it is gone again. */
  readonly touched: string[]
  readonly logs: string
}

/**
 * Sends an upload of 30 MB through the machine's nginx with this site, to a service that answers
 * with a large page.
 */
async function throughNginx(context: TestContext, nginx: string, text: string): Promise<Passed> {
  const place = mkdtempSync(join(tmpdir(), "assay-nginx-"))
  // Its workers may run as another user, who must reach the sockets.
  spawnSync("chmod", ["755", place])
  context.after(() => rmSync(place, { recursive: true, force: true }))
  const at = (name: string): string => join(place, name)
  let received = 0
  let headers: IncomingHttpHeaders = {}
  const service = createServer((incoming, outgoing) => {
    headers = incoming.headers
    incoming.on("data", (chunk: Buffer) => void (received += chunk.length))
    incoming.on("end", () => outgoing.end(Buffer.alloc(ANSWER_BYTES, "x")))
  })
  service.listen(at("drop.sock"))
  await once(service, "listening")
  spawnSync("chmod", ["777", at("drop.sock")])
  context.after(() => service.close())
  const made = spawnSync("openssl", [
    ...[
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "1",
      "-subj",
      "/CN=drop.example.org",
    ],
    ...["-keyout", at("privkey.pem"), "-out", at("fullchain.pem")],
  ])
  assert.equal(made.status, 0)
  const temporary = ["body", "proxy"].map((name) => at(name))
  writeFileSync(
    at("site.conf"),
    text
      .replaceAll("/etc/ssl/drop.example.org", place)
      .replace("server 127.0.0.1:8788;", `server unix:${at("drop.sock")};`)
      .replace("listen 443 ssl;", `listen unix:${at("tls.sock")} ssl;`)
      .replace("listen 80;", `listen unix:${at("plain.sock")};`)
      .replaceAll(/listen \[::\].*/g, ""),
  )
  writeFileSync(
    at("nginx.conf"),
    `daemon off; worker_processes 1; pid ${at("pid")}; error_log ${at("error.log")} info;
events {}
http { access_log ${at("access.log")}; client_body_temp_path ${at("body")}; proxy_temp_path ${at("proxy")};
fastcgi_temp_path ${at("fastcgi")}; uwsgi_temp_path ${at("uwsgi")}; scgi_temp_path ${at("scgi")}; include ${at("site.conf")}; }`,
  )
  const child = spawn(nginx, ["-c", at("nginx.conf"), "-e", at("error.log")], { stdio: "ignore" })
  const ended = once(child, "exit")
  context.after(() => child.kill("SIGQUIT"))
  await Promise.race([
    present(at("pid"), at("tls.sock")),
    ended.then(() => assert.fail("nginx ended")),
  ])
  const before = temporary.map((path) => statSync(path, { bigint: true }).mtimeNs)
  const answered = await uploaded(at("tls.sock"))
  const touched = temporary.filter(
    (path, n) => statSync(path, { bigint: true }).mtimeNs !== before[n],
  )
  child.kill("SIGQUIT")
  await ended
  const logs = ["access.log", "error.log"].map((name) => readFileSync(at(name), "utf8")).join("")
  return {
    received,
    headers,
    answered,
    touched: touched.map((path) => path.slice(place.length + 1)),
    logs,
  }
}

/** Resolves when files are there: nginx says nothing when it is ready. */
async function present(...files: readonly string[]): Promise<void> {
  while (!files.every((file) => existsSync(file)))
    await new Promise((resolve) => setTimeout(resolve, 5))
}

async function uploaded(socketPath: string): Promise<number> {
  const sent = request({
    socketPath,
    path: "/drop/form",
    method: "POST",
    // The certificate is the test's own.
    rejectUnauthorized: false,
    headers: {
      host: "drop.example.org",
      "user-agent": "Canary-agent",
      "x-forwarded-for": "192.0.2.7",
      cookie: "canary=1",
      "content-length": UPLOAD_BYTES,
    },
  })
  sent.end(Buffer.alloc(UPLOAD_BYTES, "Canary"))
  const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer>]
  let answered = 0
  for await (const chunk of response) answered += chunk.length
  return answered
}

test("T37: an upload of 30 MB makes no file under the temp path of nginx, and no line in its logs", async (context) => {
  const nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].find(existsSync)
  if (nginx === undefined) {
    context.skip("no nginx on this machine")
    return
  }
  const passed = await throughNginx(context, nginx, site)
  assert.equal(passed.received, UPLOAD_BYTES)
  assert.equal(passed.answered, ANSWER_BYTES)
  assert.deepEqual(passed.touched, [])
  assert.doesNotMatch(passed.logs, /drop|Canary|POST|client/i)
  // The service does not learn who it was either.
  assert.deepEqual(Object.keys(passed.headers).sort(), ["connection", "content-length", "host"])
  assert.equal(passed.headers.host, "drop.example.org")

  // As nginx does by default: this test would see it.
  const careless = site
    .replace("proxy_request_buffering off", "proxy_request_buffering on")
    .replaceAll("access_log off;", "")
  const spooled = await throughNginx(context, nginx, careless)
  assert.deepEqual(spooled.touched, ["body"])
  assert.match(spooled.logs, /POST \/drop\/form/)
})
