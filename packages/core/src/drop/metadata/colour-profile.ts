import { bytesOf, joined, latin1, uint } from "./bytes.ts"

/** A colour space by its primaries, adapted to the white of profiles, and its curve. */
interface Standard {
  /** X, Y and Z of red, green and blue, in 65,536ths. */
  readonly primaries: readonly number[]
  /**
   * Parameters of a curve of ICC.1:2022, 10.18, in 65,536ths: a power alone, or sRGB's with a
   * straight beginning.
   */
  readonly curve: readonly number[]
  /**
   * Adler-32 of the profile that is made from it, and CRC-32 of the PNG chunk that holds it: both
   * are always the same.
   */
  readonly sums: readonly number[]
}

/** Replaces a picture's own profile; no bytes: none is needed. */
export interface StandardProfile {
  readonly bytes: Uint8Array
  readonly sums: readonly number[]
}

const SRGB = [28_578, 14_581, 912, 25_241, 46_981, 6_362, 9_376, 3_972, 46_799]
const SRGB_CURVE = [157_286, 62_119, 3_417, 5_072, 2_651]
/**
 * The spaces of cameras, phones and editors. The first is what a picture without a profile is taken
 * for.
 */
const STANDARDS: readonly Standard[] = [
  { primaries: SRGB, curve: SRGB_CURVE, sums: [] },
  { primaries: SRGB, curve: [144_179], sums: [0x7f35_32c4, 0xa218_f7fd] },
  {
    // Display P3, of phones.
    primaries: [33_759, 15_807, -69, 19_135, 45_367, 2_745, 10_296, 4_363, 51_385],
    curve: SRGB_CURVE,
    sums: [0x6012_3861, 0x5381_6a65],
  },
  {
    // Adobe RGB (1998), of cameras.
    primaries: [39_960, 20_389, 1_276, 13_453, 41_004, 3_989, 9_777, 4_143, 48_796],
    curve: [144_128],
    sums: [0x124b_3084, 0xa461_1621],
  },
]
/** The white of all profiles, D50. */
const WHITE = [63_190, 65_536, 54_061]
/** Programs round differently. Half a step of 255 is not seen. */
const PRIMARY_MAX = 140
const CURVE_MAX = 0.002
const HEAD_BYTES = 128
/**
 * The smallest profile of version 4 up to its colours: its head, made on the first day of 2000;
 * nine tags by offset and length, of which the copyright is the name and the three curves are one;
 * and the name, "RGB" (ICC.1:2022, 7.2 and 7.3).
 */
const BEFORE_COLOURS = [
  `\0\0\x01\x84\0\0\0\0\x04\x20\0\0mntrRGB XYZ \x07\xd0\0\x01\0\x01${"\0".repeat(6)}acsp`,
  `${"\0".repeat(28)}\0\0\xf6\xd6\0\x01\0\0\0\0\xd3\x2d${"\0".repeat(48)}\0\0\0\x09`,
  "desc\0\0\0\xf0\0\0\0\x22cprt\0\0\0\xf0\0\0\0\x22wtpt\0\0\x01\x14\0\0\0\x14",
  "rXYZ\0\0\x01\x28\0\0\0\x14gXYZ\0\0\x01\x3c\0\0\0\x14bXYZ\0\0\x01\x50\0\0\0\x14",
  "rTRC\0\0\x01\x64\0\0\0\x20gTRC\0\0\x01\x64\0\0\0\x20bTRC\0\0\x01\x64\0\0\0\x20",
  "mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\x06\0\0\0\x1c\0R\0G\0B\0\0",
].join("")

/**
 * The replacement for a picture's own colour profile: nothing for sRGB, which needs none; one of
 * ours for another standard space; null for any other, whose colours change without it. A space is
 * recognised by its numbers, since a profile's name can say anything. The picture's own profile is
 * never kept: it names devices and has room for more.
 */
export function standardProfile(profile: Uint8Array): StandardProfile | null {
  if (latin1(profile, 16, 24) !== "RGB XYZ " || latin1(profile, 36, 40) !== "acsp") return null
  const tags = new Map<string, Uint8Array>()
  for (let n = 0; n < Math.min(uint(profile, HEAD_BYTES, 4), 100); n++) {
    const at = HEAD_BYTES + 4 + n * 12
    const start = uint(profile, at + 4, 4)
    tags.set(latin1(profile, at, at + 4), profile.subarray(start, start + uint(profile, at + 8, 4)))
  }
  // A table of colours would come before primaries and curves.
  if (tags.has("A2B0")) return null
  const tag = (name: string): Uint8Array => tags.get(name) ?? new Uint8Array()
  const primaries = ["rXYZ", "gXYZ", "bXYZ"].flatMap((name) =>
    [8, 12, 16].map((at) => signed(tag(name), at)),
  )
  const found = STANDARDS.find(
    (standard) =>
      standard.primaries.every(
        (value, n) => Math.abs(value - (primaries[n] ?? NaN)) <= PRIMARY_MAX,
      ) && ["rTRC", "gTRC", "bTRC"].every((name) => isCurve(tag(name), standard.curve)),
  )
  if (found === undefined) return null
  const { sums } = found
  return { sums, bytes: found === STANDARDS[0] ? new Uint8Array() : profileOf(found) }
}

function signed(bytes: Uint8Array, at: number): number {
  const value = uint(bytes, at, 4)
  return value >= 2 ** 31 ? value - 2 ** 32 : value
}

function isCurve(tag: Uint8Array, curve: readonly number[]): boolean {
  const parameters = curve.map((value) => value / 65_536)
  return Array.from({ length: 32 }, (_, n) => (n + 1) / 32).every(
    (x) => Math.abs(curveAt(tag, x) - powerAt(parameters, x)) <= CURVE_MAX,
  )
}

/**
 * A curve of a profile at a place between 0 and 1; NaN, which is equal to nothing, for a form that
 * is not known here.
 */
function curveAt(tag: Uint8Array, x: number): number {
  const form = latin1(tag, 0, Math.min(tag.length, 4))
  if (form === "para") {
    const kind = uint(tag, 8, 2)
    const count = kind === 0 ? 1 : kind === 3 ? 5 : 0
    return powerAt(
      Array.from({ length: count }, (_, n) => signed(tag, 12 + n * 4) / 65_536),
      x,
    )
  }
  if (form !== "curv") return NaN
  const count = uint(tag, 8, 4)
  if (count < 2) return count === 0 ? x : x ** (uint(tag, 12, 2) / 256)
  const place = x * (count - 1)
  const value = (n: number): number => uint(tag, 12 + 2 * Math.min(n, count - 1), 2) / 65_535
  const below = Math.floor(place)
  return value(below) + (place - below) * (value(below + 1) - value(below))
}

function powerAt([power = NaN, a = 1, b = 0, c = 0, d = 0]: readonly number[], x: number): number {
  return x >= d ? (a * x + b) ** power : c * x
}

/** Profiles of ours differ in their primaries and their curve alone, so all offsets are fixed. */
function profileOf({ primaries, curve }: Standard): Uint8Array {
  const [power = 0, a = 65_536, b = 0, c = 0, d = 0] = curve
  return joined([
    bytesOf(BEFORE_COLOURS),
    ...[WHITE, primaries.slice(0, 3), primaries.slice(3, 6), primaries.slice(6)].map((values) =>
      joined([bytesOf("XYZ \0\0\0\0"), big(...values)]),
    ),
    bytesOf("para\0\0\0\0\0\x03\0\0"),
    big(power, a, b, c, d),
  ])
}

/** Numbers of four bytes, also below zero. */
export function big(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [24, 16, 8, 0].map((shift) => value >> shift)))
}
