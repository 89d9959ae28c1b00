import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assay } from "../../../cli/assay.ts"
import { type Attack, count } from "../attack.ts"
import { pause } from "../raw-connection.ts"

const EVERY_MS = 20_000

/**
 * An operator imports files that are torn, beside the running service. None may hang, none may
 * change anything.
 */
export const tornImports: Attack = {
  name: "torn imports",
  sign: "refused",
  async run({ dataDirectory }, tally, over) {
    const folder = mkdtempSync(join(tmpdir(), "assay-torn-"))
    const rows = Array.from({ length: 20_000 }, (_, n) => `p${n}@torn.example:secret${n}`).join(
      "\n",
    )
    const whole = gzipSync(rows)
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(flipped.readUInt8(flipped.length >> 1) ^ 1, flipped.length >> 1)
    const files = { "cut.txt.gz": whole.subarray(0, whole.length >> 1), "flipped.txt.gz": flipped }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
    const names = Object.keys(files)
    for (let n = 0; !over.aborted; n++) {
      const file = join(folder, names[n % names.length] ?? "")
      const { code } = await assay(
        ["corpus", "import", file, "--source", "torn", "--date", "2024-05-01"],
        { ASSAY_DATA: dataDirectory },
      )
      count(tally, code === 0 ? "imported" : "refused")
      await pause(EVERY_MS, over)
    }
    rmSync(folder, { recursive: true, force: true })
  },
}
