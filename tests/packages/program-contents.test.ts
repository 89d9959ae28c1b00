// What a start of the service loads is a script for each process. These look at what is in them.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { BUILT } from "../../scripts/program.ts"

/** The sources of a program that was built, by its map. */
function sourcesOf(program: string): string[] {
  const runner = readFileSync(join(BUILT, `${program}.js`), "utf8")
  const script = new RegExp(`${program}-\\w+\\.script\\.js`).exec(runner)?.[0]
  assert.ok(script !== undefined, `${program} is no script`)
  const map = readFileSync(join(BUILT, `${script}.map`), "utf8")
  return (JSON.parse(map) as { readonly sources: string[] }).sources
}

/** Routes and schemas of features. All features share those of the folder `http`. */
const isOfRoutes = (source: string): boolean =>
  /^\.\.\/src\/(?!http\/).*\b(routes|schemas)\.ts$/.test(source)
const isOf =
  (library: string) =>
  (source: string): boolean =>
    source.includes(`node_modules/${library}/`)

test("the primary's program has no routes, no schemas of them and no web server", () => {
  const sources = sourcesOf("serve")
  assert.deepEqual(sources.filter(isOfRoutes), [])
  for (const library of ["fastify", "find-my-way", "ajv", "@fastify/swagger"])
    assert.deepEqual(sources.filter(isOf(library)), [], library)
})

test("a worker's program has them", () => {
  const sources = sourcesOf("worker-process")
  assert.ok(sources.some(isOfRoutes))
  assert.ok(sources.some(isOf("fastify")))
})

test("no program of a start has DuckDB or the driver of a database elsewhere", () => {
  for (const program of ["serve", "worker-process", "records-thread", "drop-process"])
    for (const library of ["@duckdb/node-api", "pg", "@redis/client", "nodemailer"])
      assert.deepEqual(sourcesOf(program).filter(isOf(library)), [], `${program} ${library}`)
})
