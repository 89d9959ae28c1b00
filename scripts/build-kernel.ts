// Compiles the kernel that keys plain lines (packages/corpus/kernel) and writes its bytes where
// programs, builds and the published package find them:
//   node --conditions=source scripts/build-kernel.ts
// Run by hand when the kernel changed; a test compiles it again and compares.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./repository.ts"

const FOLDER = "packages/corpus/kernel"
export const KERNEL_FILE = "packages/corpus/src/engine/plain-lines-wasm.ts"

/**
 * Of the compiler. The memory is as large as the last address of the kernel, in pages of 64 KiB.
 */
const OPTIONS = [
  ..."--optimizeLevel 3 --shrinkLevel 0 --noAssert --runtime stub --use abort=".split(" "),
  ..."--enable simd --enable bulk-memory --initialMemory 82 --maximumMemory 82".split(" "),
]

/** Not imported by its name: its types declare globals of their own, for all of the repository. */
const COMPILER = "assemblyscript/asc"
interface Compiler {
  readonly version: string
  main(
    options: readonly string[],
    files: {
      readFile(name: string): string | null
      writeFile(name: string, contents: Uint8Array): void
      listFiles(): string[]
    },
  ): Promise<{ error: Error | null; stderr: { toString(): string } }>
}

/** The module that holds the kernel's bytes. Throws if there is no compiler. */
export async function kernelModule(): Promise<string> {
  const asc = (await import(COMPILER)) as Compiler
  const written: Uint8Array[] = []
  const { error, stderr } = await asc.main(
    ["plain-lines.ts", "--outFile", "out.wasm", ...OPTIONS],
    {
      readFile: (name) => sourceOf(name),
      writeFile: (_name, contents) => void written.push(contents),
      listFiles: () => [],
    },
  )
  const [bytes] = written
  if (error !== null || bytes === undefined)
    throw new Error(`The kernel cannot be compiled:\n${stderr.toString()}`)
  return `// Made by scripts/build-kernel.ts of ${FOLDER}, by AssemblyScript ${asc.version}.
// Do not edit it: a test compiles the sources and compares.
export const PLAIN_LINES_WASM: string =
  "${Buffer.from(bytes).toString("base64")}"
`
}

/** The compiler asks for its own library too, which it has, and goes on when a file is missing. */
function sourceOf(name: string): string | null {
  if (!/^(plain-lines|sha256)\.ts$/.test(name)) return null
  return readFileSync(join(root, FOLDER, name), "utf8")
}

if (import.meta.main) writeFileSync(join(root, KERNEL_FILE), await kernelModule())
