// What compose.yaml and the manifests for Kubernetes name is compared with the product.
import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { parse, parseAllDocuments } from "yaml"
import { readConfig, type Config } from "../../packages/server/src/base/config.ts"
import { root } from "../../scripts/repository.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { image, imageEnv, published } from "./deployed-image.ts"

const deploy = join(root, "deploy")
const temporary = temporaryDirectory()

interface ComposeService {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly ports?: readonly string[]
  readonly expose?: readonly string[]
  readonly volumes: readonly string[]
  readonly user?: string
  readonly read_only?: boolean
  readonly tmpfs?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period?: string
  readonly networks: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
  readonly deploy?: object
}
const compose = parse(readFileSync(join(deploy, "compose.yaml"), "utf8")) as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold?: number
}
interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: Readonly<Record<string, unknown>>
}
const documents = parseAllDocuments(readFileSync(join(deploy, "kubernetes", "assay.yaml"), "utf8"))
const manifests = documents.map((document) => {
  assert.deepEqual(document.errors, [])
  return document.toJS() as Manifest
})
const manifest = (kind: string): Manifest["spec"] => {
  const found = manifests.find((each) => each.kind === kind)
  assert.ok(found !== undefined, kind)
  return found.spec
}
const pod = (manifest("StatefulSet")["template"] as { spec: Readonly<Record<string, unknown>> })
  .spec
const [container] = pod["containers"] as readonly [Container]
const podEnv = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))

/** The settings as the service reads them; names that it does not know are refused. */
function configured(given: Readonly<Record<string, string>>): Config {
  const env: Record<string, string> = { ...imageEnv, ...given }
  const url = join(temporary, "database-url")
  writeFileSync(url, "postgres://assay:password@postgres:5432/assay")
  assert.ok(env["DATABASE_URL_FILE"] !== undefined)
  return readConfig({ ...env, DATABASE_URL_FILE: url })
}

const { assay, postgres } = compose.services as Record<"assay" | "postgres", ComposeService>

test("every setting of both exists, and is a service in production with its data, secret and database", () => {
  for (const env of [assay.environment, podEnv]) {
    const config = configured(env)
    assert.equal(config.production, true)
    assert.match(config.databaseUrl ?? "", /^postgres:/)
    assert.equal(config.host, "0.0.0.0")
    assert.equal(config.port, 8080)
    assert.equal(config.metricsPort, 9464)
    // Without it nobody signs in.
    assert.equal(config.consoleOrigin, `http://localhost:${config.port}`)
    assert.ok(config.workers >= 2)
  }
  assert.throws(() => configured({ ...podEnv, ASSAY_WORKER: "2" }), /ASSAY_WORKER is not a setting/)
  assert.throws(() => configured({ ...podEnv, ASSAY_WORKERS: "many" }), /ASSAY_WORKERS takes/)
})

test("probes ask paths that the service answers, on ports that it listens on", () => {
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
  assert.deepEqual(
    probes.map(({ httpGet }) => httpGet.path),
    ["/healthz", "/healthz", "/readyz"],
  )
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]))
  for (const { httpGet } of probes) {
    assert.ok(httpGet.path in published.paths, httpGet.path)
    assert.equal(ports.get(httpGet.port), configured(podEnv).port)
  }
  assert.equal(ports.get("metrics"), configured(podEnv).metricsPort)
  // A start that migrates may take minutes; one that hangs is not waited for without end.
  const { periodSeconds, failureThreshold = 3 } = container.startupProbe
  assert.ok(periodSeconds * failureThreshold >= 300)
})

test("nothing but mounted folders is written to, and every path of a setting lies in one", () => {
  const mounts = container.volumeMounts.map(({ mountPath }) => mountPath)
  assert.deepEqual(mounts, ["/data", "/tombstones", "/run/assay", "/tmp"])
  const within = (path: string, folders: readonly string[]): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`))
  for (const name of ["ASSAY_DATA", "ASSAY_TOMBSTONES", "ASSAY_SECRET_FILE", "DATABASE_URL_FILE"])
    assert.ok(within(podEnv[name] ?? "", mounts), name)
  // The root of a volume is not the service's own; it makes its folder in it.
  assert.notEqual(podEnv["ASSAY_DATA"], "/data")
  const claims = manifest("StatefulSet")["volumeClaimTemplates"] as {
    metadata: { name: string }
  }[]
  const volumes = pod["volumes"] as { name: string }[]
  assert.deepEqual(
    container.volumeMounts.map(({ name }) => name).sort(),
    [...claims.map(({ metadata }) => metadata.name), ...volumes.map(({ name }) => name)].sort(),
  )
  assert.deepEqual(assay.volumes, ["data:/data", "tombstones:/tombstones"])
  assert.match(image, /^VOLUME \/data \/tombstones$/m)
  for (const volume of [...assay.volumes, ...postgres.volumes])
    assert.ok((volume.split(":")[0] ?? "") in compose.volumes, volume)
})

test("neither is root, can become it, or writes to its own image", () => {
  assert.equal(assay.user, /^USER (\S+)$/m.exec(image)?.[1])
  assert.equal(assay.read_only, true)
  assert.deepEqual(assay.cap_drop, ["ALL"])
  assert.deepEqual(assay.security_opt, ["no-new-privileges:true"])
  assert.deepEqual(assay.tmpfs, ["/tmp"])
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  })
  const context = pod["securityContext"] as Readonly<Record<string, unknown>>
  assert.deepEqual(
    [context["runAsNonRoot"], context["runAsUser"], context["seccompProfile"]],
    [true, 65_532, { type: "RuntimeDefault" }],
  )
  assert.equal(pod["automountServiceAccountToken"], false)
})

test("a stop has longer than requests in flight are given", () => {
  const { stopSeconds } = configured(podEnv)
  assert.ok((pod["terminationGracePeriodSeconds"] as number) > stopSeconds)
  assert.ok(Number.parseInt(assay.stop_grace_period ?? "") > stopSeconds)
})

test("secrets are files, and the database is reached by nobody but the service", () => {
  for (const [name, value] of Object.entries({ ...assay.environment, ...podEnv }))
    assert.doesNotMatch(`${name}=${value}`, /postgres:\/\/|password/i)
  for (const secret of [...assay.secrets, ...postgres.secrets])
    assert.equal(compose.secrets[secret]?.file, `secrets/${secret}`)
  assert.equal(assay.environment["DATABASE_URL_FILE"], "/run/secrets/database-url")
  assert.equal(imageEnv["ASSAY_SECRET_FILE"], "/run/secrets/assay")
  assert.deepEqual(postgres.networks, ["back"])
  assert.equal(compose.networks["back"]?.internal, true)
  assert.equal(postgres.ports, undefined)
  assert.deepEqual(assay.ports, ["127.0.0.1:8080:8080"])
  assert.equal(assay.depends_on?.["postgres"]?.condition, "service_healthy")
  assert.ok(postgres.healthcheck !== undefined)
  // Lying in a checkout, they must get into no image and no commit.
  const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n")
  assert.ok(ignored.includes("deploy/secrets/"))
})

test("one node is claimed and no more, and what selects it selects its pod", () => {
  assert.equal(manifest("StatefulSet")["replicas"], 1)
  assert.equal(assay.deploy, undefined)
  assert.deepEqual(
    manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
    [
      "apps/v1 StatefulSet",
      "v1 Service",
      "policy/v1 PodDisruptionBudget",
      "networking.k8s.io/v1 NetworkPolicy",
    ],
  )
  const labels = { "app.kubernetes.io/name": "assay" }
  const budget = manifest("PodDisruptionBudget")
  assert.deepEqual([budget["minAvailable"], budget["selector"]], [1, { matchLabels: labels }])
  const policy = manifest("NetworkPolicy")
  assert.deepEqual(policy["podSelector"], { matchLabels: labels })
  assert.deepEqual(policy["policyTypes"], ["Ingress", "Egress"])
  const service = manifest("Service")
  assert.deepEqual(service["selector"], labels)
  const named = container.ports.map(({ name }) => name)
  const open = [
    ...(service["ports"] as { targetPort: string }[]).map(({ targetPort }) => targetPort),
    ...(policy["ingress"] as { ports: { port: string }[] }[]).flatMap(({ ports }) =>
      ports.map(({ port }) => port),
    ),
  ]
  assert.deepEqual([...new Set(open)].sort(), [...named].sort())
})

test("the image of compose is built from this checkout", () => {
  assert.deepEqual(assay.build, { context: "..", dockerfile: "deploy/Containerfile" })
  assert.match(image, /^ENTRYPOINT \["node", "packages\/server\/bin\/assay\.js"\]$/m)
})
