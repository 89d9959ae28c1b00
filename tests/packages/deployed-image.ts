import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readRepositoryJson, root } from "../../scripts/repository.ts"

export const image = readFileSync(join(root, "deploy", "Containerfile"), "utf8")

/** Settings of the image, which every deployment starts from. */
export const imageEnv = Object.fromEntries(
  [...image.slice(image.indexOf("ENV ")).matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [
    name ?? "",
    value ?? "",
  ]),
)

/** The paths that a probe or a balancer may name. */
export const published = readRepositoryJson("tests/fixtures/published/api-v1.json") as {
  readonly paths: Readonly<Record<string, unknown>>
}
