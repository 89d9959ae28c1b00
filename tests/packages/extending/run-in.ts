// Runs the service and the command of a copy, by the copy's own helpers.
import { join } from "node:path"
import type { Copy } from "./steps.ts"

export async function runIn({ path }: Copy) {
  const { assay } = (await import(
    join(path, "tests/cli/assay.ts")
  )) as typeof import("../../cli/assay.ts")
  const { startService } = (await import(
    join(path, "tests/http/service.ts")
  )) as typeof import("../../http/service.ts")
  return { assay, startService }
}
