import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import type { EmailServices } from "../score/email/email-scorer.ts"
import { openLists } from "../score/email/lists.ts"
import { openModels } from "../score/models.ts"
import { warmUp } from "./warm-up.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-warm-up-"))
const index = await openLmdbIndex({ path: join(directory, "index") })
after(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

const never = (): never => assert.fail("nothing is counted, kept or asked")

function servicesWith(lookupInTurn: EmailServices["index"]["lookupInTurn"]): EmailServices {
  return {
    index: { lookupInTurn },
    lists: openLists(join(directory, "lists")),
    models: openModels(join(directory, "models")),
    secrets: deriveSecrets(new Uint8Array(32)),
    now: Date.now,
    network: { look: never } as unknown as EmailServices["network"],
    velocity: { compare: never },
    decisions: { record: never },
    usage: { count: never, flush: never },
    metrics: { countShadowFailed: never, countSignalsFailed: never },
  }
}

test("addresses that nobody has are scored, and nothing is counted, kept or asked of a network", async () => {
  let lookups = 0
  const services = servicesWith((key, tenantId) => {
    lookups++
    return index.lookupInTurn(key, tenantId)
  })
  await warmUp(services)
  assert.equal(lookups, 50)
})

test("an index that fails ends it and stops no start", async () => {
  let lookups = 0
  await warmUp(
    servicesWith(() => {
      lookups++
      throw new Error("the disk is gone")
    }),
  )
  assert.equal(lookups, 1)
})
