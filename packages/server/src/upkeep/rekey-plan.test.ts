import assert from "node:assert/strict"
import { test } from "node:test"
import type { Batch, Catalogue, ImportRecipe, Source } from "@assay/stores/exposure-index"
import { source as description } from "@assay/stores/testing/exposure-index-process-suite"
import { inputName } from "@assay/corpus/import-recipe"
import { planRekey } from "./rekey-plan.ts"

const digest = (letter: string): string => letter.repeat(64)
const given = (letter: string): { path: string; digest: string } => ({
  path: `/${letter}`,
  digest: digest(letter),
})

function recipe(inputs: readonly string[] | null): ImportRecipe {
  return {
    inputs: inputs?.map((letter) => inputName(digest(letter))) ?? null,
    said: { kind: null, date: null, format: null, map: {} },
    keyedAs: { kind: "breach", eventDate: null },
  }
}

function catalogueOf(...changes: readonly Partial<Batch>[]): Catalogue {
  const source: Source = { ...description, id: 1, owner: "shared", importedAt: 1 }
  const batches = changes.map((change, n): Batch => ({
    id: n + 1,
    sourceId: 1,
    owner: "shared",
    state: "live",
    fingerprint: `batch ${n}`,
    rows: 1,
    identities: 1,
    createdAt: 1,
    liveAt: 2,
    removedAt: null,
    segment: { file: "x.parquet", bytes: 1, sha256: "" },
    ...change,
  }))
  return {
    version: 1,
    sources: new Map([[1, source]]),
    batches: new Map(batches.map((batch) => [batch.id, batch])),
  }
}

test("a batch is repeated from all of its inputs, whatever else is given and in whichever order", () => {
  const catalogue = catalogueOf({ recipe: recipe(["a", "b"]) }, { recipe: recipe(["b"]) })
  const plan = planRekey(catalogue, [given("c"), given("b"), given("a")])
  assert.deepEqual(
    plan.repeatable.map(({ batch, paths }) => [batch.id, paths]),
    [
      [1, ["/a", "/b"]],
      [2, ["/b"]],
    ],
  )
  assert.deepEqual([plan.missing, plan.unused], [[], ["/c"]])
})

test("a batch of which one input is not given, or of which none is known, is missing", () => {
  const catalogue = catalogueOf(
    { recipe: recipe(["a", "b"]) },
    { recipe: recipe(null) },
    { recipe: null },
    {},
  )
  const plan = planRekey(catalogue, [given("a")])
  assert.deepEqual(plan.repeatable, [])
  assert.deepEqual(
    plan.missing.map(({ batch, lacks }) => [batch.id, lacks]),
    [
      [1, "files"],
      [2, "recipe"],
      [3, "recipe"],
      [4, "recipe"],
    ],
  )
  assert.deepEqual(plan.unused, ["/a"])
})

test("batches of tenants, of the demo, loading and removed ones need no file", () => {
  const catalogue = catalogueOf(
    { owner: 3 },
    { segment: null },
    { state: "loading" },
    { state: "removed" },
  )
  assert.deepEqual(planRekey(catalogue, []), { repeatable: [], missing: [], unused: [] })
})

test("an input that was named twice is found though it is given once", () => {
  const plan = planRekey(catalogueOf({ recipe: recipe(["a", "a"]) }), [given("a")])
  assert.deepEqual(plan.repeatable[0]?.paths, ["/a", "/a"])
})
