import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { follow, stepsOf } from "./steps.ts"

const PAGE = `# Page

## Greet

1. Write the greeting.

\`\`\`ts new greeting/hello.ts
export const hello = "Hello"
console.log(hello)
\`\`\`

2. Name it.

\`\`\`json after package.json ""scripts": {"
    "greet": "node greeting/hello.ts",
\`\`\`

\`\`\`sh
node greeting/hello.ts
\`\`\`

## Another

\`\`\`ts new greeting/hello.ts
\`\`\`
`

test("the steps of a section are its blocks that name a file, and no others", () => {
  const steps = stepsOf("Greet", PAGE)
  assert.deepEqual(
    steps.map(({ path, after }) => [path, after]),
    [
      ["greeting/hello.ts", null],
      ["package.json", '"scripts": {'],
    ],
  )
  assert.throws(() => stepsOf("Nobody", PAGE), /has no section/)
})

test("steps are followed in a copy that runs, and change nothing here", () => {
  using copy = follow(stepsOf("Greet", PAGE))
  assert.equal(copy.run(["greeting/hello.ts"]), "Hello\n")
  assert.match(readFileSync(join(copy.path, "package.json"), "utf8"), /"greet": /)
  assert.deepEqual(copy.touched, ["greeting/hello.ts", "package.json"])
  assert.equal(existsSync("greeting"), false)
})

test("a step that does not fit the repository is refused", () => {
  const step = { path: "package.json", after: "no such line", code: "" }
  assert.throws(() => follow([step]), /package\.json has 0 lines that hold no such line/)
  assert.throws(() => follow([{ ...step, after: null }]), /is there already/)
})
