const LF = 10

/** Pieces that end where a line ends. */
export async function* lineBlocks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of bytes) {
    const cut = piece.lastIndexOf(LF) + 1
    const block = Buffer.concat([rest, piece.subarray(0, cut)])
    rest = cut === 0 ? block : Buffer.from(piece.subarray(cut))
    if (cut > 0) yield block
  }
  if (rest.length > 0) yield rest
}
