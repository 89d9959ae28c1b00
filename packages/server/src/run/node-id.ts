import { randomBytes } from "node:crypto"
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Explained } from "@assay/runtime/explained"
import { readIfPresent } from "@assay/runtime/if-present"

const SHAPE = /^node_[0-9a-f]{12}$/

/**
 * The name of the node that serves a data directory, made once. Its journal lies beside it, so the
 * name stays with what a killed node decided.
 */
export function nodeIdIn(dataDirectory: string): string {
  const file = join(dataDirectory, "node.json")
  const text = readIfPresent(file)
  if (text === null) {
    const id = `node_${randomBytes(6).toString("hex")}`
    writeFileSync(`${file}.new`, `${JSON.stringify({ id })}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
    return id
  }
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown }
    if (typeof id === "string" && SHAPE.test(id)) return id
  } catch {
    // Reported below, with a file that holds something else.
  }
  throw new Explained("data-directory", `${file} is damaged`)
}
