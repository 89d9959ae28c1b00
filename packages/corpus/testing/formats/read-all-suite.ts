import { readdirSync } from "node:fs"
import { join } from "node:path"
import { parseEmail, parsePhone, type IdentityType } from "@assay/core/identity"
import type { SecretClass } from "@assay/stores/exposure-index"
import { Keyer } from "../../src/engine/keyer.ts"
import type { Detected } from "../../src/formats/format.ts"
import { blocksOf, openParser } from "../../src/formats/formats.ts"
import type { RejectReason } from "../../src/formats/parsed-row.ts"
import { secretClassOf } from "../../src/formats/secret-class.ts"

export const GOLDEN_FOLDER: string = join(import.meta.dirname, "../../src/formats/golden")
export const GOLDEN_FILES: readonly string[] = readdirSync(GOLDEN_FOLDER)
  .filter((name) => name.endsWith(".txt"))
  .sort()

export interface ReadRow {
  readonly line: number
  /** The name that the golden files have for the identity's type. */
  readonly subject: IdentityType
  /** In its exact form, so that spellings of one address are seen to be one. */
  readonly identity: string
  readonly secret: string | null
  readonly secretClass: SecretClass
}

export interface ReadAll {
  readonly lines: number
  readonly rows: readonly ReadRow[]
  readonly rejects: readonly { readonly line: number; readonly reason: RejectReason }[]
}

const subkey = new Uint8Array(32)

/**
 * Reads a member the way an import does: cut into blocks, parsed, keyed. `pieceBytes` is what a
 * read gives at once.
 */
export async function readAll(
  bytes: Buffer,
  detected: Detected,
  pieceBytes: number = bytes.length,
): Promise<ReadAll> {
  const rows: ReadRow[] = []
  const rejects: { line: number; reason: RejectReason }[] = []
  let before = 0
  const keyer = new Keyer(
    {
      subkeys: { identity: subkey, alias: subkey, password: subkey },
      kind: "combolist",
      hours: 490_000,
      latestHours: 490_000,
    },
    () => undefined,
    (line, reason) => void rejects.push({ line: before + line, reason }),
  )
  const parser = openParser(detected.format)
  const member = {
    name: "member",
    number: 1,
    path: null,
    modifiedMs: 0,
    information: null,
    bytes: () => piecesOf(bytes, pieceBytes),
    countRead: () => undefined,
  }
  for await (const block of blocksOf(member, detected)) {
    before += parser.parse(block, {
      reject: (line, reason) => {
        keyer.reject(line, reason)
      },
      row(line, row) {
        const keyed = keyer.rows
        keyer.row(line, row)
        if (keyer.rows === keyed) return
        rows.push({
          line: before + line,
          subject: row.identityType,
          identity: exactForm(row.identityType, row.identity),
          secret: row.secret,
          secretClass: row.secretClass ?? secretClassOf(row.secret, row.secretIsHash),
        })
      },
    })
  }
  return { lines: before, rows, rejects }
}

/** Pieces of a few bytes each, as a slow stream gives them. */
export async function* piecesOf(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** All that comes, in order. */
export async function collected(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

function exactForm(identityType: IdentityType, identity: string): string {
  const parsed = identityType === "email" ? parseEmail(identity) : parsePhone(identity)
  if ("fault" in parsed) throw new Error("The keyer took what the core refuses")
  return "exact" in parsed ? parsed.exact : parsed.e164
}
