import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { KERNEL_FILE, kernelModule } from "../../scripts/build-kernel.ts"
import { root } from "../../scripts/repository.ts"

test("the kernel's bytes are those that the compiler makes of its sources", async () => {
  assert.equal(readFileSync(join(root, KERNEL_FILE), "utf8"), await kernelModule())
})
