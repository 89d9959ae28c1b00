import { firstBytes, type Member } from "../../src/inputs/member.ts"
import type { Detected, FoundFormat } from "../../src/formats/format.ts"
import { blocksOf, detectFormat, openParser } from "../../src/formats/formats.ts"
import { type FormatHints, HEAD_BYTES_MAX } from "../../src/formats/head.ts"
import type { ParsedRow, RejectReason } from "../../src/formats/parsed-row.ts"

/** The whole content of a member, in memory: for tests. */
export interface ReadMember {
  readonly format: FoundFormat | null
  readonly rows: (ParsedRow & { readonly line: number })[]
  readonly rejects: { readonly line: number; readonly reason: RejectReason }[]
  readonly lines: number
}

export async function readMember(member: Member, hints: FormatHints): Promise<ReadMember> {
  const detected = detectFormat(
    member.name,
    await firstBytes(member.bytes(), HEAD_BYTES_MAX),
    hints,
  )
  const read: ReadMember = { format: detected?.format ?? null, rows: [], rejects: [], lines: 0 }
  return detected === null ? read : readDetected(member, detected)
}

export async function readDetected(member: Member, detected: Detected): Promise<ReadMember> {
  const rows: ReadMember["rows"] = []
  const rejects: ReadMember["rejects"] = []
  let lines = 0
  const parser = openParser(detected.format)
  for await (const block of blocksOf(member, detected)) {
    const before = lines
    lines += parser.parse(block, {
      row: (line, row) => void rows.push({ line: before + line, ...row }),
      reject: (line, reason) => void rejects.push({ line: before + line, reason }),
    })
  }
  return { format: detected.format, rows, rejects, lines }
}

/** A member whose bytes are at hand, given out in pieces of this size. */
export function memberOf(name: string, bytes: Buffer, pieceBytes = 1 << 16): Member {
  return {
    name,
    number: 1,
    path: null,
    modifiedMs: 0,
    information: null,
    countRead: () => undefined,
    async *bytes() {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        yield Buffer.from(bytes.subarray(at, at + pieceBytes))
      }
    },
  }
}
