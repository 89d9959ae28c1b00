// Run by test-runner.ts: test files that share a process, each as a suite that has its name. What a
// module declares while it is required belongs to the suite; imported, it would be everyone's. What
// their helpers declare is everyone's: they clean up when the last file is done.
import { createRequire } from "node:module"
import { join } from "node:path"
import { suite } from "node:test"
import { reached } from "./reached-by-test.ts"
import { root } from "./repository.ts"

const require = createRequire(import.meta.url)
const files = process.argv.slice(2)
for (const helper of new Set(files.flatMap((file) => [...reached(file)])))
  if (!files.includes(helper)) require(join(root, helper))
for (const file of files) suite(file, () => void require(join(root, file)))
