import { deflateRawSync } from "node:zlib"
import { bytesOf, joined } from "../../../src/drop/metadata/bytes.ts"
import { little } from "./test-pictures.ts"

/** An archive of members, packed as office programs pack them. */
export function zipOf(members: Readonly<Record<string, string>>, method: 0 | 8 = 8): Uint8Array {
  const local: Uint8Array[] = []
  const central: Uint8Array[] = []
  let at = 0
  for (const [name, text] of Object.entries(members)) {
    const plain = new TextEncoder().encode(text)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const [sizes, names] = [
      joined([little(packed.length, 4), little(plain.length, 4)]),
      bytesOf(name),
    ]
    const facts = joined([
      joined([little(20, 2), little(0, 2), little(method, 2), little(0, 8)]),
      joined([sizes, little(names.length, 2), little(0, 2)]),
    ])
    const entry = joined([bytesOf("PK\x03\x04"), facts, names, packed])
    const where = joined([little(0, 10), little(at, 4)])
    central.push(joined([bytesOf("PK\x01\x02"), little(20, 2), facts, where, names]))
    local.push(entry)
    at += entry.length
  }
  const directory = joined(central)
  const count = little(central.length, 2)
  return joined([
    ...local,
    directory,
    joined([bytesOf("PK\x05\x06"), little(0, 4), count, count]),
    joined([little(directory.length, 4), little(at, 4), little(0, 2)]),
  ])
}
