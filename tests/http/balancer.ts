import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { root } from "../../scripts/repository.ts"
import { killGroup, startGuard } from "./process-groups.ts"

/** The balancer that `deploy/nodes/compose.yaml` starts. */
export const NGINX_CONF = join(root, "deploy", "nodes", "nginx.conf")

const START_MS = 30_000

export interface Balancer {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

/** Where this machine has nginx; null where it has none. */
export function nginxProgram(): string | null {
  const found = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].find(existsSync)
  return found ?? null
}

/** The configuration of the deployment, with nothing changed but who is where, or is not there. */
export function balancedConfiguration(port: number, nodes: readonly number[]): string {
  return readFileSync(NGINX_CONF, "utf8")
    .replace("listen 8080;", `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *server node-(\d):8080.*\n/gm, (line, number: string) => {
      const node = nodes[Number(number) - 1]
      return node === undefined ? "" : line.replace(/node-\d:8080/, `127.0.0.1:${node}`)
    })
}

/** Starts nginx before nodes of this machine; resolves once it listens. */
export async function startBalancer(port: number, nodes: readonly number[]): Promise<Balancer> {
  const nginx = nginxProgram()
  if (nginx === null) throw new Error("There is no nginx on this machine")
  const folder = mkdtempSync(join(tmpdir(), "assay-balancer-"))
  // Its workers run as another user, where it is started as root.
  chmodSync(folder, 0o755)
  const at = (name: string): string => join(folder, name)
  writeFileSync(at("site.conf"), balancedConfiguration(port, nodes))
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${at(name)};`)
    .join(" ")
  writeFileSync(
    at("nginx.conf"),
    `daemon off; worker_processes 1; pid ${at("pid")};
events { worker_connections 4096; }
http { ${temporary} include ${at("site.conf")}; }`,
  )
  const child = spawn(nginx, ["-c", at("nginx.conf"), "-e", at("error.log")], {
    stdio: "ignore",
    detached: true,
  })
  const ended = once(child, "exit")
  const { pid } = child
  if (pid === undefined) throw new Error("nginx did not start")
  const guard = startGuard(pid, folder)
  const stop = async (): Promise<void> => {
    await killGroup(pid)
    guard.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  const state = { hasEnded: false }
  void ended.then(() => (state.hasEnded = true))
  const deadline = performance.now() + START_MS
  while (!(await takesConnections(port))) {
    if (state.hasEnded || performance.now() > deadline) {
      const said = existsSync(at("error.log")) ? readFileSync(at("error.log"), "utf8") : ""
      await stop()
      throw new Error(`nginx does not listen: ${said}`)
    }
    await delay(10)
  }
  return { port, pid, stop }
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
