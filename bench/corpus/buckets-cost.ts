// node --conditions=source bench.ts ROOT MODE
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { randomBytes, createHash } from "node:crypto"
const root = process.argv[2]!
const N = Number(process.argv[3] ?? 1_000_000)
const ADD = Number(process.argv[4] ?? 0)
const { openLmdbIndex } = await import(root + "/packages/stores/src/lmdb/exposure-index.ts")
const { rowOfEntry } = await import(root + "/packages/stores/src/segment-block.ts")
const folder = mkdtempSync("/tmp/bk/idx-")
const cpu = () => { const u = process.cpuUsage(); return u.user + u.system }
const tcpu = () => { const u = (process as any).threadCpuUsage(); return u.user + u.system }
const { head } = rowOfEntry({ kind: "combolist", secret: "plaintext", hours: 480_000, fingerprint: 77, aliasTag: 0, batchId: 1, item: null, confidence: null, classes: [], value: null })
function sortedKeys(n: number, seed: number) {
  // pseudo-random 16-byte keys, sorted by the first 8 bytes
  let s = BigInt(seed) * 0x9e3779b97f4a7c15n
  const firsts = new Float64Array(n)
  let a = seed | 0
  const r = () => { a = (a + 0x6d2b79f5) | 0; let t = Math.imul(a ^ (a >>> 15), 1 | a); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return (t ^ (t >>> 14)) >>> 0 }
  for (let i = 0; i < n; i++) firsts[i] = r() * 2 ** 20 + (r() & 0xfffff)
  firsts.sort()
  const keys = Buffer.alloc(n * 16)
  for (let i = 0; i < n; i++) { const f = firsts[i]! ; keys.writeUInt32BE(Math.floor(f / 2 ** 20), i * 16); keys.writeUInt32BE((f % 2 ** 20) * 4096, i * 16 + 4); keys.writeUInt32BE(Math.imul(f % 2**32 | 0, 0x9e3779b1) >>> 0, i * 16 + 8); keys.writeUInt32BE(i >>> 0, i * 16 + 12) }
  return keys
}
async function* blocks(keys: Buffer) {
  const n = keys.length / 16
  const heads = Buffer.alloc(2048 * 8)
  for (let i = 0; i < 2048; i++) heads.set(head, i * 8)
  for (let f = 0; f < n; f += 2048) { const c = Math.min(2048, n - f); yield { count: c, keys: keys.subarray(f * 16, (f + c) * 16), heads: heads.subarray(0, c * 8), extended: new Map() } }
}
const src = (name: string) => ({ name, title: name, kind: "combolist", confidence: 0.8, classes: [], flags: { spamList: false, fabricated: false, sensitive: false, verified: true }, eventDate: null, circulates: false })
const index = await openLmdbIndex({ path: folder + "/index" })
let at = 1
async function imp(keys: Buffer, name: string) {
  const b = await index.openBatch(src("s" + name), name, at++)
  const t = cpu(), w = performance.now()
  const m = await index.mergeSegment(b.id, blocks(keys))
  const d = cpu() - t
  await index.goLive(b.id, { rows: keys.length / 16, identities: m.identities }, at++)
  return [d / (keys.length / 16), (performance.now() - w) / (keys.length / 16) * 1000]
}
const bytes = async () => { const s = await index.stats(); return s.bytes / s.identities }
const keys = sortedKeys(N, 1)
const f = await imp(keys, "a")
console.log(`${root} into empty: ${f[0]!.toFixed(3)} cpu us a row (wall ${f[1]!.toFixed(3)}); ${(await bytes()).toFixed(1)} B/identity`)
if (ADD > 0) {
  const g = await imp(sortedKeys(ADD, 2), "b")
  console.log(`${root} ${ADD} between: ${g[0]!.toFixed(3)} cpu us a row (wall ${g[1]!.toFixed(3)}); ${(await bytes()).toFixed(1)} B/identity`)
}
const IMPORTS = Number(process.env.IMPORTS ?? 0)
for (let i = 0; i < IMPORTS; i++) { const g = await imp(sortedKeys(N, 10 + i), "i" + i); console.log(`${root} import ${i + 2}: ${g[0]!.toFixed(3)} cpu us a row; ${(await bytes()).toFixed(1)} B/identity`) }
const L = 100_000
const some: Buffer[] = [], none: Buffer[] = []
for (let i = 0; i < L; i++) { const j = Math.floor(Math.random() * N); some.push(Buffer.from(keys.subarray(j * 16, j * 16 + 16))); none.push(randomBytes(16)) }
for (const [n, ks] of [["known", some], ["unknown", none]] as const) {
  const rounds: number[] = [], p50s: number[] = []
  for (let r = 0; r < 5; r++) {
    const t = tcpu()
    for (const k of ks) await index.lookup(k, null)
    rounds.push((tcpu() - t) / L)
    const times = new Float64Array(L)
    for (let i = 0; i < L; i++) { const b = performance.now(); await index.lookup(ks[i]!, null); times[i] = performance.now() - b }
    times.sort(); p50s.push(times[L >> 1]! * 1000)
  }
  const turns: number[] = []
  for (let r = 0; r < 5; r++) { const t = tcpu(); for (const k of ks) index.lookupInTurn(k, null); turns.push((tcpu() - t) / L) }
  const found = (await index.lookup(ks[0]!, null)).entries.length
  rounds.sort((a, b) => a - b); p50s.sort((a, b) => a - b); turns.sort((a, b) => a - b)
  console.log(`${root} ${n} (${found}): lookup ${rounds[0]!.toFixed(2)}..${rounds[2]!.toFixed(2)} cpu us; p50 ${p50s[0]!.toFixed(2)}; in turn ${turns[0]!.toFixed(2)}`)
}
await index.close()
rmSync(folder, { recursive: true })
