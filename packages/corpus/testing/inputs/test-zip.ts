import { crc32, deflateRawSync } from "node:zlib"

/**
 * A file for a test's zip archive; the unusual members make an archive that ordinary tools do not
 * write.
 */
export interface TestFile {
  readonly name: string
  readonly bytes: Buffer | string
  readonly stored?: boolean
  readonly encrypted?: boolean
  readonly method?: number
}

const DEFLATED = 8

/** A zip archive of these files. */
export function testZip(files: readonly TestFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, bytes, stored = false, encrypted = false, method } of files) {
    const content = Buffer.from(bytes)
    const data = stored ? content : deflateRawSync(content)
    const path = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(encrypted ? 0x0801 : 0x0800, 2)
    facts.writeUInt16LE(method ?? (stored ? 0 : DEFLATED), 4)
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(data.length, 14)
    facts.writeUInt32LE(content.length, 18)
    facts.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, path, data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), facts, rest, path]))
    parts.push(local)
    at += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", 0, "latin1")
  end.writeUInt16LE(Math.min(files.length, 0xffff), 8)
  end.writeUInt16LE(Math.min(files.length, 0xffff), 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}
