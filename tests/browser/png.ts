// Pictures of the console, small: with a palette of 256 colours, and moving ones (APNG), of which
// each frame holds only what changed. A page of code against a dependency.
import { crc32, deflateSync, inflateSync } from "node:zlib"

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const COLOURS_MAX = 256

/** Pixels as 0xRRGGBB, row by row. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint32Array
}

export interface Frame {
  readonly picture: Picture
  readonly ms: number
}

/** Reads what browsers write: eight bits of colour, not interlaced. Transparency is left out. */
export function decodePng(bytes: Buffer): Picture {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) throw new Error("no PNG")
  let header: Buffer | null = null
  const parts: Buffer[] = []
  for (const { type, data } of chunksOf(bytes)) {
    if (type === "IHDR") header = data
    if (type === "IDAT") parts.push(data)
  }
  const [width, height] = [header?.readUInt32BE(0) ?? 0, header?.readUInt32BE(4) ?? 0]
  const channels = header?.[9] === 6 ? 4 : header?.[9] === 2 ? 3 : 0
  if (header?.[8] !== 8 || channels === 0 || header[12] !== 0) throw new Error("another PNG")
  const raw = inflateSync(Buffer.concat(parts))
  const stride = width * channels
  const pixels = new Uint32Array(width * height)
  let above = new Uint8Array(stride)
  for (let y = 0; y < height; y++) {
    const at = y * (stride + 1)
    const row = new Uint8Array(raw.subarray(at + 1, at + 1 + stride))
    unfilter(raw[at] ?? 0, row, above, channels)
    for (let x = 0; x < width; x++) {
      const [r = 0, g = 0, b = 0] = row.subarray(x * channels, x * channels + 3)
      pixels[y * width + x] = (r << 16) | (g << 8) | b
    }
    above = row
  }
  return { width, height, pixels }
}

export function* chunksOf(bytes: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString("latin1", at + 4, at + 8)
    yield { type, data: bytes.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
}

/** Filters of the PNG specification, section 9. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, channels: number): void {
  for (let n = 0; n < row.length; n++) {
    const a = n >= channels ? (row[n - channels] ?? 0) : 0
    const b = above[n] ?? 0
    const c = n >= channels ? (above[n - channels] ?? 0) : 0
    const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter] ?? 0
    row[n] = ((row[n] ?? 0) + guess) & 255
  }
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)]
  if (pa <= pb && pa <= pc) return a
  return pb <= pc ? b : c
}

/** One picture with a palette. */
export function encodePng(picture: Picture): Buffer {
  const palette = paletteOf([picture])
  const { width, height } = picture
  const whole = { x: 0, y: 0, width, height }
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(picture)),
    chunk("PLTE", palette.bytes),
    chunk("IDAT", packed(picture, whole, palette)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** A picture that moves, and begins again at its end. All frames have one size. */
export function encodeApng(frames: readonly Frame[]): Buffer {
  const [first] = frames
  if (first === undefined) throw new Error("no frames")
  const palette = paletteOf(frames.map(({ picture }) => picture))
  const control = Buffer.alloc(8)
  control.writeUInt32BE(frames.length, 0)
  const parts = [
    SIGNATURE,
    chunk("IHDR", header(first.picture)),
    chunk("acTL", control),
    chunk("PLTE", palette.bytes),
  ]
  let sequence = 0
  frames.forEach(({ picture, ms }, n) => {
    const region = changed(frames[n - 1]?.picture ?? null, picture)
    parts.push(chunk("fcTL", frameControl(sequence++, region, ms)))
    const data = packed(picture, region, palette)
    if (n === 0) return void parts.push(chunk("IDAT", data))
    const numbered = Buffer.alloc(4)
    numbered.writeUInt32BE(sequence++, 0)
    parts.push(chunk("fdAT", Buffer.concat([numbered, data])))
  })
  parts.push(chunk("IEND", Buffer.alloc(0)))
  return Buffer.concat(parts)
}

function header({ width, height }: Picture): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  // Eight bits a pixel, which are places in a palette.
  bytes.set([8, 3, 0, 0, 0], 8)
  return bytes
}

interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function frameControl(sequence: number, { x, y, width, height }: Region, ms: number): Buffer {
  const bytes = Buffer.alloc(26)
  ;[sequence, width, height, x, y].forEach((value, n) => bytes.writeUInt32BE(value, n * 4))
  bytes.writeUInt16BE(ms, 20)
  bytes.writeUInt16BE(1000, 22)
  return bytes
}

/** The smallest rectangle with every pixel that is another; one pixel where none is. */
function changed(before: Picture | null, after: Picture): Region {
  const { width, height, pixels } = after
  if (before === null) return { x: 0, y: 0, width, height }
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let n = 0; n < pixels.length; n++) {
    if (pixels[n] === before.pixels[n]) continue
    const [x, y] = [n % width, Math.floor(n / width)]
    ;[left, right] = [Math.min(left, x), Math.max(right, x)]
    ;[top, bottom] = [Math.min(top, y), Math.max(bottom, y)]
  }
  if (right < 0) return { x: 0, y: 0, width: 1, height: 1 }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

interface Palette {
  readonly bytes: Buffer
  readonly placeOf: (colour: number) => number
}

/** The colours that most pixels have; any other becomes the nearest of them. */
function paletteOf(pictures: readonly Picture[]): Palette {
  const counts = new Map<number, number>()
  for (const { pixels } of pictures)
    for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const colours = chosen(counts)
  const bytes = Buffer.from(
    colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  )
  const places = new Map(colours.map((colour, place) => [colour, place]))
  const placeOf = (colour: number): number => {
    let place = places.get(colour)
    if (place === undefined) {
      const distances = colours.map((other) => distance(colour, other))
      place = distances.indexOf(Math.min(...distances))
      places.set(colour, place)
    }
    return place
  }
  return { bytes, placeOf }
}

/** The most frequent, but none that looks like one before it as long as there are others. */
function chosen(counts: ReadonlyMap<number, number>): number[] {
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour)
  for (let apart = 0; ; apart += 60) {
    const taken: number[] = []
    for (const colour of byCount) {
      if (taken.every((other) => distance(colour, other) > apart)) taken.push(colour)
      if (taken.length > COLOURS_MAX) break
    }
    if (taken.length <= COLOURS_MAX) return taken
  }
}

function distance(a: number, b: number): number {
  const [r, g, blue] = [
    (a >> 16) - (b >> 16),
    ((a >> 8) & 255) - ((b >> 8) & 255),
    (a & 255) - (b & 255),
  ]
  return r * r + g * g + blue * blue
}

function packed(
  { width: stride, pixels }: Picture,
  { x, y, width, height }: Region,
  { placeOf }: Palette,
): Buffer {
  const rows = Buffer.alloc(height * (width + 1))
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      rows[row * (width + 1) + 1 + column] = placeOf(pixels[(y + row) * stride + x + column] ?? 0)
  return deflateSync(rows, { level: 9 })
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length, 0)
  body.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(body), data.length + 8)
  return bytes
}
