import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { emailModels, phoneModels } from "@assay/core/score"
import { byVersion, currentModels, openModels } from "./models.ts"
import { Explained } from "@assay/runtime/explained"

const temporary = mkdtempSync(join(tmpdir(), "assay-models-"))
after(() => rmSync(temporary, { recursive: true }))
let directories = 0

/** A directory that holds these documents; text is written as it is. */
function directoryWith(files: Record<string, unknown>): string {
  const directory = join(temporary, String(++directories))
  mkdirSync(directory)
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content)
    writeFileSync(join(directory, name), text)
  }
  return directory
}

const email10 = emailModels["1.0"]
const email12 = { ...email10, version: "1.2", abuse: { ...email10.abuse, disposable: 3 } }
const phone20 = { ...phoneModels["1.0"], version: "2.0" }
const versions = (directory: string, name: "email" | "phone") =>
  openModels(directory)
    .loaded(name)
    .map(({ model, file }) => [model.version, file])

test("without a directory there are the models of the program, and the newest answers", () => {
  const models = openModels(join(temporary, "missing"))
  assert.equal(models.email(null), emailModels["1.1"])
  assert.equal(models.email("1.0"), email10)
  assert.equal(models.phone(null), phoneModels["1.1"])
  assert.equal(models.phone("1.0"), phoneModels["1.0"])
  assert.equal(currentModels.email, emailModels["1.1"])
  assert.deepEqual(
    models.loaded("email").map(({ model, file }) => [model.version, file]),
    [
      ["1.0", null],
      ["1.1", null],
    ],
  )
})

test("documents of the directory are loaded beside them and change no default", () => {
  const directory = directoryWith({
    "email-1.2.json": email12,
    "any name.json": { ...email12, version: "1.10" },
    "nine.json": { ...email12, version: "1.9" },
    "phone.json": phone20,
    "notes.txt": "not a model",
  })
  const models = openModels(directory)
  assert.equal(models.email("1.2").abuse.disposable, 3)
  assert.equal(models.email(null), emailModels["1.1"])
  assert.equal(models.phone("2.0").version, "2.0")
  assert.equal(models.phone(null), phoneModels["1.1"])
  assert.deepEqual(versions(directory, "email"), [
    ["1.0", null],
    ["1.1", null],
    ["1.2", "email-1.2.json"],
    ["1.9", "nine.json"],
    ["1.10", "any name.json"],
  ])
})

test("a version that is not loaded is a failure and never another model", () => {
  const models = openModels(directoryWith({ "a.json": email12 }))
  for (const version of ["1.3", "2.0", "", "constructor", "__proto__"])
    assert.throws(() => models.email(version), { code: "model-not-loaded" })
  assert.throws(() => models.phone("1.2"), /The phone model 1\.2 is not loaded/)
})

test("a version has one content: spelt otherwise it is the same, changed it is refused", () => {
  const reordered = Object.fromEntries(Object.entries(email10).toReversed())
  const same = { "copy.json": JSON.stringify(reordered, null, 4), "a.json": email12 }
  assert.deepEqual(versions(directoryWith(same), "email"), [
    ["1.0", null],
    ["1.1", null],
    ["1.2", "a.json"],
  ])
  const shipped = directoryWith({ "mine.json": { ...email12, version: "1.0" } })
  assert.throws(
    () => openModels(shipped),
    /^Explained: mine\.json: \/version: email 1\.0 already comes with the program, with other content/,
  )
  const twice = directoryWith({ "a.json": email12, "b.json": { ...email12, conf: 0.7 } })
  assert.throws(() => openModels(twice), /^Explained: b\.json: .* already stands in a\.json/)
})

test("a malformed document is refused with its file, the member and the reason", () => {
  const cases: [unknown, RegExp][] = [
    ['{"name": "email",\n  oops}', /^broken\.json is not JSON \(line 2 column 3\)$/],
    ["", /^broken\.json is not JSON$/],
    [null, /^broken\.json: \/name: must be email or phone$/],
    [{ ...email12, name: "mail" }, /^broken\.json: \/name: must be email or phone$/],
    [
      { ...email12, abuse: { ...email12.abuse, disposable: -1 } },
      /^broken\.json: email model, \/abuse\/disposable: must be >= 0$/,
    ],
    [
      { ...phone20, coverage: { ...phone20.coverage, sim: 0.9 } },
      /^broken\.json: phone model, \/coverage: must add up to 1$/,
    ],
  ]
  for (const [content, message] of cases) {
    const directory = directoryWith({ "broken.json": content })
    assert.throws(
      () => openModels(directory),
      (error) => {
        assert.ok(error instanceof Explained && error.code === "models")
        assert.match(error.message, message)
        return true
      },
    )
  }
  const directory = directoryWith({})
  mkdirSync(join(directory, "folder.json"))
  assert.throws(() => openModels(directory), /folder\.json cannot be read/)
  assert.throws(
    () => openModels(join(directoryWith({ file: "" }), "file")),
    /The directory of models cannot be read/,
  )
})

test("versions are ordered as numbers", () => {
  const order = ["10.0", "1.10", "1.9", "2.0", "1.0"].sort(byVersion)
  assert.deepEqual(order, ["1.0", "1.9", "1.10", "2.0", "10.0"])
})
