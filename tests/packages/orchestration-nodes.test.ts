// What the deployments of several nodes name is compared with the product. How nginx does with its
// configuration is in tests/http, whose services are behind it with ASSAY_TEST_NODES.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { createClient } from "@redis/client"
import { parse, parseAllDocuments } from "yaml"
import { type Config, readConfig } from "../../packages/server/src/base/config.ts"
import { recordsAreShared } from "../../packages/stores/src/open/open-database.ts"
import { readClusterPlace } from "../../packages/stores/src/redis/cluster-place.ts"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import { root } from "../../scripts/repository.ts"
import { balancedConfiguration, NGINX_CONF } from "../http/balancer.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { image, imageEnv, published } from "./deployed-image.ts"

const temporary = temporaryDirectory()
const read = (...path: string[]): string => readFileSync(join(root, "deploy", ...path), "utf8")

interface ComposeService {
  readonly image: string
  readonly build?: object
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly user?: string
  readonly hostname?: string
  readonly expose?: readonly string[]
  readonly read_only?: boolean
  readonly tmpfs?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period?: string
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>
}
const compose = parse(read("nodes", "compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
}
const service = (name: string): ComposeService => compose.services[name] ?? assert.fail(name)
const nodes = ["node-1", "node-2", "node-3"].map(service)
const valkeys = [1, 2, 3, 4, 5, 6].map((n) => service(`valkey-${n}`))
const addressOf = (of: ComposeService, network: string): string => {
  assert.ok(!Array.isArray(of.networks))
  const { [network]: found } = of.networks as Record<string, { readonly ipv4_address: string }>
  return found?.ipv4_address ?? assert.fail()
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}
const manifests = parseAllDocuments(read("kubernetes", "nodes.yaml")).map((document) => {
  assert.deepEqual(document.errors, [])
  return document.toJS() as Manifest
})
const manifest = (kind: string, name = "assay"): Manifest["spec"] =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name)?.spec ??
  assert.fail(`${kind} ${name}`)
const set = manifest("StatefulSet")
const pod = (set["template"] as { spec: Readonly<Record<string, unknown>> }).spec
const [container] = pod["containers"] as readonly [
  {
    readonly env: readonly {
      readonly name: string
      readonly value?: string
      readonly valueFrom?: object
    }[]
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
    readonly startupProbe: Probe
    readonly livenessProbe: Probe
    readonly readinessProbe: Probe
    readonly securityContext: object
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  },
]
const podEnv = Object.fromEntries(
  container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
) as Record<string, string>
/** As the pod of the first node has it. */
const firstPod = { ...podEnv, ASSAY_NODE_ADDRESS: "assay-0.assay-nodes" }

/** The settings as the service reads them; names that it does not know are refused. */
function configured(given: Readonly<Record<string, string>>): Config {
  const files = {
    DATABASE_URL_FILE: "postgres://assay:password@postgres:5432/assay",
    ASSAY_INDEX_URL_FILE: "redis://valkey-0.valkey:6379,redis://valkey-1.valkey:6379",
  }
  const env: Record<string, string> = { ...imageEnv, ...given }
  for (const [name, text] of Object.entries(files))
    if (name in env) {
      const file = join(temporary, name)
      writeFileSync(file, text)
      env[name] = file
    }
  return readConfig(env)
}

const ofNodes = nodes.map(({ environment }) => configured(environment ?? {}))

test("every setting of both exists, and makes a node among several", () => {
  for (const config of [...ofNodes, configured(firstPod)]) {
    assert.equal(config.production, true)
    assert.ok(recordsAreShared(config))
    assert.match(config.indexUrl ?? "", /^redis:/)
    assert.deepEqual([config.host, config.port, config.metricsPort], ["0.0.0.0", 8080, 9464])
    // Without it nobody signs in.
    assert.equal(config.consoleOrigin, `http://localhost:${config.port}`)
  }
  assert.throws(() => configured({ ...firstPod, ASSAY_NODES: "3" }), /ASSAY_NODES is not a setting/)
})

test("every node gives its segments at a port that only the others reach, under a name of its own", () => {
  for (const [n, { hostname, expose }] of nodes.entries()) {
    // Listening at all addresses, it tells the others this name.
    assert.equal(hostname, `node-${n + 1}`)
    assert.equal(ofNodes[n]?.nodeAddress, null)
    assert.deepEqual(expose, ["8080", "9464", String(ofNodes[n].nodePort)])
  }
  const { nodePort, nodeAddress } = configured(firstPod)
  const port = container.ports.find(({ name }) => name === "segments")
  assert.deepEqual([port?.containerPort, nodeAddress], [nodePort, firstPod.ASSAY_NODE_ADDRESS])
  assert.equal(podEnv["ASSAY_NODE_ADDRESS"], `$(POD_NAME).${String(set["serviceName"])}`)
  assert.deepEqual(container.env.find(({ name }) => name === "POD_NAME")?.valueFrom, {
    fieldRef: { fieldPath: "metadata.name" },
  })
  const served = manifest("Service", "assay-nodes")["ports"] as readonly { name: string }[]
  assert.deepEqual(served[1], { name: "segments", port: nodePort, targetPort: "segments" })
})

test("the nodes of compose are alike but for their names and volumes, which each has for itself", () => {
  const [first, ...others] = nodes.map(
    ({ volumes: _, depends_on: __, hostname: ___, ...rest }) => rest,
  )
  for (const other of others) assert.deepEqual(other, first)
  const volumes = Object.values(compose.services)
    .flatMap((each) => each.volumes ?? [])
    .map((volume) => volume.split(":")[0] ?? "")
    .filter((volume) => !volume.startsWith("."))
  assert.equal(new Set(volumes).size, volumes.length)
  assert.deepEqual(volumes.sort(), Object.keys(compose.volumes).sort())
  for (const [n, { volumes: own }] of nodes.entries())
    assert.deepEqual(own, [`data-${n + 1}:/data`, `tombstones-${n + 1}:/tombstones`])
  // The first one alone makes tables and index, on engines that are ready.
  assert.deepEqual(nodes[0]?.depends_on, {
    postgres: { condition: "service_healthy" },
    "valkey-cluster": { condition: "service_completed_successfully" },
  })
  for (const { depends_on } of nodes.slice(1))
    assert.deepEqual(depends_on, { "node-1": { condition: "service_healthy" } })
  assert.equal(set["podManagementPolicy"], "OrderedReady")
  assert.equal(set["replicas"], 3)
})

test("nginx has the nodes by their names and port, is what the nodes trust, and nothing else is open", () => {
  const site = readFileSync(NGINX_CONF, "utf8")
  const upstream = [...site.matchAll(/^ +server (\S+):(\d+) /gm)].map(([, name, port]) => [
    name,
    Number(port),
  ])
  const names = ["node-1", "node-2", "node-3"]
  // All requests, imports too.
  assert.deepEqual(
    upstream,
    names.map((name, n) => [name, ofNodes[n]?.port]),
  )
  assert.doesNotMatch(site, /backup/)
  for (const [, path = ""] of site.matchAll(/location (\/\S+) /g))
    assert.ok(
      Object.keys(published.paths).some((each) => each.startsWith(path)),
      path,
    )
  const nginx = service("nginx")
  assert.deepEqual(nginx.volumes, ["./nginx.conf:/etc/nginx/conf.d/default.conf:ro"])
  assert.ok(NGINX_CONF.endsWith("/deploy/nodes/nginx.conf"))
  assert.deepEqual(ofNodes[0]?.trustedProxies, [addressOf(nginx, "front")])
  const [, listen] = /listen (\d+);/.exec(site) ?? []
  assert.deepEqual(nginx.ports, [`127.0.0.1:8080:${listen}`])
  const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined)
  assert.deepEqual(
    open.map(([name]) => name),
    ["nginx"],
  )
  // What the tests run is this file with other addresses.
  const lines = balancedConfiguration(1, [2, 3, 4]).split("\n")
  const changed = site.split("\n").filter((line, n) => line !== lines[n])
  assert.equal(changed.length, 4)
  for (const line of changed) assert.match(line, /^ +(?:server node-\d:8080 |listen 8080;)/)
})

test("nginx keeps no connection longer than a node does, and waits longer than any answer", () => {
  const site = readFileSync(NGINX_CONF, "utf8")
  const app = readFileSync(join(root, "packages/server/src/run/bare-app.ts"), "utf8")
  const [, kept] = /keepAliveTimeout: ([\d_]+),/.exec(app) ?? []
  // The default of `keepalive_timeout` in an upstream.
  assert.ok(Number(kept?.replaceAll("_", "")) > 60_000)
  assert.doesNotMatch(site, /keepalive_timeout|non_idempotent|proxy_cache|access_log (?!off)/)
  const [, wait] = /proxy_read_timeout (\d+)s;/.exec(site) ?? []
  assert.ok(Number(wait) > (ofNodes[0]?.streamIdleSeconds ?? assert.fail()))
})

test("the cluster is named by its addresses, has a replica for each primary, and is of no one else", () => {
  const place = readClusterPlace(ofNodes[0]?.indexUrl ?? "")
  const addresses = valkeys.map((each) => addressOf(each, "back"))
  assert.deepEqual(
    place?.nodes.map(({ host, port }) => [host, port]),
    addresses.slice(0, 3).map((address) => [address, 6379]),
  )
  const making = service("valkey-cluster").command?.join("\n") ?? ""
  const [, created = ""] = /--cluster create (.+?) --cluster-replicas 1/.exec(making) ?? []
  assert.deepEqual(
    created.split(" "),
    addresses.map((address) => `${address}:6379`),
  )
  assert.equal(compose.networks["back"]?.internal, true)
  for (const engine of [...valkeys, service("postgres")])
    assert.deepEqual(
      Array.isArray(engine.networks) ? engine.networks : Object.keys(engine.networks),
      ["back"],
    )
})

test("an engine of the cluster takes its file, and is then set up as doctor asks for", async (context) => {
  const port = await freePort()
  const dir = join(temporary, "valkey")
  mkdirSync(dir)
  const file = join(root, "deploy", "nodes", "valkey.conf")
  const own = ["--port", String(port), "--cluster-port", String(await freePort()), "--dir", dir]
  const engine = spawn("redis-server", [file, ...own], { stdio: "ignore" })
  try {
    await once(engine, "spawn")
  } catch (error) {
    assert.notEqual(process.env["CI"], "true", String(error))
    context.skip("no redis-server on this machine")
    return
  }
  const ended = once(engine, "exit")
  const client = createClient({ socket: { host: "127.0.0.1", port } }).on("error", () => undefined)
  try {
    await Promise.race([client.connect(), ended.then(() => assert.fail("it ended"))])
    const asked = [...read("..", "docs", "operating.md").matchAll(/^\| `([a-z-]+) (\w+)` +\|/gm)]
    assert.ok(asked.length >= 5)
    for (const [, name = "", value] of asked)
      assert.equal((await client.configGet(name))[name], value, name)
    assert.equal((await client.configGet("cluster-enabled"))["cluster-enabled"], "yes")
  } finally {
    client.destroy()
    engine.kill("SIGKILL")
    await ended
  }
})

test("nobody is root, can become it, or writes to its own image", () => {
  for (const { user, tmpfs } of nodes) {
    assert.equal(user, /^USER (\S+)$/m.exec(image)?.[1])
    assert.deepEqual(tmpfs, ["/tmp"])
  }
  for (const [name, each] of Object.entries(compose.services)) {
    if (name === "postgres") continue
    assert.equal(each.read_only, true, name)
    assert.deepEqual(each.cap_drop, ["ALL"], name)
    assert.deepEqual(each.security_opt, ["no-new-privileges:true"], name)
  }
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  })
  const { runAsNonRoot, runAsUser } = pod["securityContext"] as Readonly<Record<string, unknown>>
  assert.deepEqual([runAsNonRoot, runAsUser], [true, 65_532])
})

test("paths of settings are mounted, and secrets are files", () => {
  const mounts = container.volumeMounts.map(({ mountPath }) => mountPath)
  for (const name of [
    ...["ASSAY_DATA", "ASSAY_TOMBSTONES", "ASSAY_SECRET_FILE"],
    ...["DATABASE_URL_FILE", "ASSAY_INDEX_URL_FILE"],
  ])
    assert.ok(
      mounts.some((mount) => podEnv[name]?.startsWith(`${mount}/`)),
      name,
    )
  for (const env of [podEnv, ...nodes.map(({ environment }) => environment ?? {})])
    for (const [name, value] of Object.entries(env))
      assert.doesNotMatch(`${name}=${value}`, /postgres:\/\/|password|:[^/]+@/i)
  for (const name of nodes.flatMap(({ secrets = [] }) => secrets))
    assert.equal(compose.secrets[name]?.file, `../secrets/${name}`)
})

test("probes, stops, disruptions and networks are those of three nodes", () => {
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]))
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
  assert.deepEqual(
    probes.map(({ httpGet }) => httpGet.path),
    ["/healthz", "/healthz", "/readyz"],
  )
  for (const { httpGet } of probes) {
    assert.ok(httpGet.path in published.paths)
    assert.equal(ports.get(httpGet.port), configured(firstPod).port)
  }
  assert.equal(ports.get("metrics"), configured(firstPod).metricsPort)
  const { stopSeconds } = configured(firstPod)
  assert.ok((pod["terminationGracePeriodSeconds"] as number) > stopSeconds)
  for (const { stop_grace_period } of nodes)
    assert.ok(Number.parseInt(stop_grace_period ?? "") > stopSeconds)
  // One at a time: two of three are enough, and imports and leases go to another.
  assert.equal(manifest("PodDisruptionBudget")["maxUnavailable"], 1)
  const labels = { "app.kubernetes.io/name": "assay" }
  for (const name of ["assay", "assay-nodes"])
    assert.deepEqual(manifest("Service", name)["selector"], labels)
  assert.ok(!manifests.some(({ metadata }) => metadata.name === "assay-imports"))
  assert.equal(set["serviceName"], "assay-nodes")
  assert.equal(manifest("Service", "assay-nodes")["clusterIP"], "None")
  const { ingress, egress, podSelector } = manifest("NetworkPolicy") as {
    ingress: readonly { from: unknown; ports: readonly { port: string }[] }[]
    egress: readonly { to: unknown; ports: readonly { port: number }[] }[]
    podSelector: object
  }
  assert.deepEqual(podSelector, { matchLabels: labels })
  const portsOf = <T>(rules: readonly { ports: readonly { port: T }[] }[]): T[] =>
    rules.flatMap((rule) => rule.ports.map(({ port }) => port))
  assert.deepEqual(portsOf(ingress), ["api", "metrics", "segments"])
  const nodesAlone = [{ podSelector: { matchLabels: labels } }]
  assert.deepEqual([ingress[2]?.from, egress[1]?.to], [nodesAlone, nodesAlone])
  assert.deepEqual(portsOf(egress), [53, 53, ofNodes[0]?.nodePort, 5432, 6379])
})
