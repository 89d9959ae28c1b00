import { assessEmail, explainEmail, emailModels, assessPhone, phoneModels } from "@assay/core/score"
const model = emailModels["1.0"]
const kinds = ["breach", "combolist", "breach", "paste", "stealer", "breach", "phish"] as const
const secrets = ["plaintext", "weak_hash", "unknown", "none", "slow_hash"] as const
const types = ["repost", "listing", "mention", "tested"] as const
function make(n: number): any {
  const s = Math.floor(n / 4)
  return { as_of: "2026-11-15", checked: { sources: 14, newestImport: "2026-11-02" }, coverage: { credential: 1, darkweb: 1, trust: .8, bot: .5 },
    trust: { free: true, mx: true, emailAge: 300, traces: 0, handle: .4, role: true },
    exposures: Array.from({ length: n }, (_, i) => ({ kind: kinds[i % kinds.length], source: "src" + i, item: "i" + i, age: 10 + i * 37, secret: secrets[i % 5], conf: .3 + (i % 7) / 10, classes: ["phone", "dob"], ...(i % 5 === 0 ? { pwFp: "abc" } : {}) })),
    signals: Array.from({ length: s }, (_, i) => ({ type: types[i % 4], source: "sig" + i, age: 5 + i * 10 })) }
}
for (const n of [0, 4, 15, 60, 256]) {
  const input = make(n)
  for (let i = 0; i < 20000; i++) assessEmail(input, model)
  const best = []
  for (let r = 0; r < 400; r++) { const t = process.hrtime.bigint(); for (let i = 0; i < 100; i++) assessEmail(input, model); best.push(Number(process.hrtime.bigint() - t) / 100 / 1000) }; best.sort((a,b)=>a-b)
  const t = process.hrtime.bigint(); for (let i = 0; i < 1000; i++) explainEmail(input, model); const e = Number(process.hrtime.bigint() - t) / 1e6
  console.log(n, "assess µs", best[0].toFixed(1), "median", best[200].toFixed(1), "explain", e.toFixed(1))
}
const ph: any = { as_of: "2026-11-15", numberType: "mobile", region: "US", line: "mobile", valid: true, active: true, tenureDays: 1200, portAge: 1, callForwarding: true }
for (let i = 0; i < 20000; i++) assessPhone(ph, phoneModels["1.0"])
const t = process.hrtime.bigint(); for (let i = 0; i < 20000; i++) assessPhone(ph, phoneModels["1.0"]); console.log("phone", Number(process.hrtime.bigint() - t) / 2e7)
