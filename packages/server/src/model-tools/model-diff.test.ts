import assert from "node:assert/strict"
import { test } from "node:test"
import { isVersionedRight, levelOf, modelChanges } from "./model-diff.ts"
import { currentModels } from "../score/models.ts"

const { email, phone } = currentModels

test("differences are listed member by member, a table of another length as a whole", () => {
  const cluster = [...email.abuse.cluster, [9, 2]] as [number, number][]
  const emailAge = email.abuse.emailAge.map(([x, nats]): [number, number] => [
    x,
    x === 7 ? 1.9 : nats,
  ])
  const other = { ...email, version: "1.1", abuse: { ...email.abuse, cluster, emailAge } }
  assert.deepEqual(modelChanges(email, other), [
    { path: "/abuse/emailAge/1/1", before: 2, after: 1.9, level: "MINOR" },
    { path: "/abuse/cluster", before: [[5, 1.5]], after: cluster, level: "MINOR" },
  ])
  assert.deepEqual(modelChanges(email, { ...email, version: "7.0" }), [])
})

test("inputs, stages and the scale are MAJOR, weights, tables and texts MINOR", () => {
  const level = (other: typeof email) => levelOf(modelChanges(email, other))
  assert.equal(level(email), null)
  assert.equal(level({ ...email, conf: 0.7 }), "MINOR")
  assert.equal(level({ ...email, texts: { ...email.texts, reuse: "Reused" } }), "MINOR")
  assert.equal(level({ ...email, depth: { ...email.depth, nats: 0.2 } }), "MINOR")
  assert.equal(level({ ...email, depth: { ...email.depth, classes: ["phone"] } }), "MAJOR")
  assert.equal(level({ ...email, scale: { ...email.scale, anchorOdds: 18 } }), "MAJOR")
  assert.equal(level({ ...email, conf: 0.7, stages: { ...email.stages, certainty: 0.6 } }), "MAJOR")
  const lines = {
    ...phone,
    lineOfNumberType: { ...phone.lineOfNumberType, radio: "mobile" as const },
  }
  assert.deepEqual(modelChanges(phone, lines), [
    { path: "/lineOfNumberType/radio", before: undefined, after: "mobile", level: "MAJOR" },
  ])
})

test("a version must grow by as much as its changes ask for", () => {
  assert.ok(isVersionedRight("1.0", "1.0", null))
  assert.ok(isVersionedRight("1.9", "1.10", "MINOR"))
  assert.ok(isVersionedRight("1.9", "2.0", "MINOR"))
  assert.ok(!isVersionedRight("1.9", "1.9", "MINOR"))
  assert.ok(isVersionedRight("9.0", "10.0", "MAJOR"))
  assert.ok(!isVersionedRight("1.0", "1.1", "MAJOR"))
})
