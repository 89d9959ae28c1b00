// Run by test-runner.ts: test files that share a process, each as a suite that has its name. What a
// module declares while it is required belongs to the suite; imported, it would be everyone's.
import { createRequire } from "node:module"
import { join } from "node:path"
import { suite } from "node:test"
import { root } from "./repository.ts"

const require = createRequire(import.meta.url)
for (const file of process.argv.slice(2)) suite(file, () => void require(join(root, file)))
