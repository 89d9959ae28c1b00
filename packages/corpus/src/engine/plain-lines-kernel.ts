import { PLAIN_LINES_WASM } from "./plain-lines-wasm.ts"

/** What packages/corpus/kernel exports; its sources say what each is. */
export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer }
  prepare(): void
  startIdentities(): void
  startPasswords(): void
  begin(length: number, delimiter: number, headHigh: number): void
  keyLines(): number
  addDomain(plain: boolean, dots: boolean, hyphens: boolean, watch: number): void
  wipe(bytes: number): void
  readonly rows: Value
  readonly events: Value
  readonly domainAt: Value
  readonly domainLength: Value
  readonly window: Value
  readonly windowBytes: Value
  readonly columnBytes: Value
  readonly keysHigh: Value
  readonly keysLow: Value
  readonly heads: Value
  readonly eventsAt: Value
}

/** A number that the kernel exports, read anew each time. */
export interface Value {
  readonly value: number
}

/** Node's own types say nothing of it. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly
let compiled: object | null = null

/** A kernel with memory of its own. Every Node that we allow has the vectors it needs. */
export function openKernel(): Kernel {
  compiled ??= new Module(Buffer.from(PLAIN_LINES_WASM, "base64"))
  return new Instance(compiled).exports as Kernel
}
