import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { test } from "node:test"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { openInputs } from "../inputs/members.ts"
import { testZip } from "../../testing/inputs/test-zip.ts"
import type { FormatHints } from "./head.ts"
import type { ParsedRow } from "./parsed-row.ts"
import { readMember, type ReadMember } from "../../testing/formats/test-read.ts"

const FOLDER = fileURLToPath(new URL("golden/", import.meta.url))
const EXPECTED = ".expected.json"
const TABULAR = /^(?:csv|feed|json|ndjson)-/

interface Expected {
  readonly hints?: FormatHints["map"]
  readonly format: unknown
  readonly rows: unknown
  readonly rejects: unknown
}

const goldens = readdirSync(FOLDER).filter((name) => TABULAR.test(name) && !name.endsWith(EXPECTED))

for (const name of goldens) {
  test(`the golden file ${name} gives the rows and rejects written beside it`, async () => {
    const expected = JSON.parse(
      readFileSync(join(FOLDER, `${name}${EXPECTED}`), "utf8"),
    ) as Expected
    const { hints, ...said } = expected
    const { format, rows, rejects } = await readOnly(join(FOLDER, name), hints)
    assert.deepEqual(said, {
      format: JSON.parse(JSON.stringify(format)) as unknown,
      rows: rows.map(shortRow),
      rejects: rejects.map(({ line, reason }) => `${line} ${reason}`),
    })
  })
}

const packers: Readonly<Record<string, (name: string, bytes: Buffer) => Buffer>> = {
  gzip: (_, bytes) => gzipSync(bytes),
  zstd: (_, bytes) => zstdCompressSync(bytes),
  zip: (name, bytes) => testZip([{ name, bytes }]),
  "gzip in zip": (name, bytes) => testZip([{ name, bytes: gzipSync(bytes) }]),
}

for (const [packing, pack] of Object.entries(packers)) {
  test(`packed by ${packing}, the golden files give the same rows and rejects`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-packed-"))
    try {
      for (const name of goldens) {
        const path = join(folder, "packed")
        writeFileSync(path, pack(name, readFileSync(join(FOLDER, name))))
        assert.deepEqual(await readOnly(path), await readOnly(join(FOLDER, name)), name)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

/** The content of the only member of a file. */
async function readOnly(path: string, hints: FormatHints["map"] = {}): Promise<ReadMember> {
  const inputs = openInputs([path])
  try {
    const read: ReadMember[] = []
    for await (const member of inputs.members()) read.push(await readMember(member, { map: hints }))
    assert.equal(read.length, 1)
    return read[0] as ReadMember
  } finally {
    await inputs.close()
  }
}

/** A row without its empty members. The files call the identity's type its subject. */
function shortRow({ identityType, ...row }: ParsedRow & { readonly line: number }): unknown {
  return Object.fromEntries(
    Object.entries({ ...row, subject: identityType }).filter(
      ([, value]) =>
        value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
