import { bytesOf, joined } from "../../../src/drop/metadata/bytes.ts"
import { big, CANARY } from "./test-pictures.ts"

/** X, Y and Z of red, green and blue as programs publish them. */
export const PRIMARIES = {
  srgb: [0.43607, 0.22249, 0.01392, 0.38515, 0.71687, 0.09708, 0.14307, 0.06061, 0.7141],
  p3: [0.51512, 0.2412, -0.00105, 0.29198, 0.69225, 0.04189, 0.1571, 0.06657, 0.78407],
  adobe: [0.60974, 0.31111, 0.01947, 0.20528, 0.62567, 0.06087, 0.14919, 0.06322, 0.74457],
  prophoto: [0.79767, 0.28804, 0, 0.13519, 0.71188, 0, 0.03134, 0.00009, 0.82491],
  own: [0.47, 0.24, 0.02, 0.35, 0.7, 0.09, 0.1442, 0.06, 0.7149],
}

const fixed = (value: number): Uint8Array =>
  big((Math.round(value * 65_536) + 2 ** 32) % 2 ** 32, 4)

export const gammaCurve = (gamma: number): Uint8Array =>
  joined([bytesOf("curv"), big(0, 4), big(1, 4), big(Math.round(gamma * 256), 2)])

/** sRGB's curve as a table, as the oldest and most used profile has it. */
export const srgbTable = joined([
  ...[bytesOf("curv"), big(0, 4), big(1024, 4)],
  ...Array.from({ length: 1024 }, (_, n) => {
    const x = n / 1023
    const y = x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4
    return big(Math.round(y * 65_535), 2)
  }),
])

/** sRGB's curve by its parameters, as newer profiles have it. */
export const srgbFormula = joined([
  ...[bytesOf("para"), big(0, 4), big(3, 2), big(0, 2)],
  ...[2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map(fixed),
])

/** A profile as a program writes it, with anything else it carries. */
export function iccProfile(
  primaries: readonly number[],
  curve: Uint8Array,
  more: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  const xyz = (values: readonly number[]): Uint8Array =>
    joined([bytesOf("XYZ "), big(0, 4), ...values.map(fixed)])
  const tags: [string, Uint8Array][] = [
    ["desc", joined([bytesOf("desc"), big(0, 4), big(12, 4), bytesOf(`${CANARY}\0`), big(0, 78)])],
    ["cprt", joined([bytesOf("text"), big(0, 4), bytesOf(`${CANARY}\0`)])],
    ["wtpt", xyz([0.9642, 1, 0.8249])],
    ...["rXYZ", "gXYZ", "bXYZ"].map((name, n): [string, Uint8Array] => [
      name,
      xyz(primaries.slice(n * 3, n * 3 + 3)),
    ]),
    ...["rTRC", "gTRC", "bTRC"].map((name): [string, Uint8Array] => [name, curve]),
    ...Object.entries(more),
  ]
  let at = 132 + tags.length * 12
  const table: Uint8Array[] = []
  const contents: Uint8Array[] = []
  for (const [name, content] of tags) {
    table.push(joined([bytesOf(name), big(at, 4), big(content.length, 4)]))
    const padded = joined([content, new Uint8Array((4 - (content.length % 4)) % 4)])
    contents.push(padded)
    at += padded.length
  }
  return joined([
    ...[big(at, 4), bytesOf("lcms"), big(0x02400000, 4), bytesOf("mntrRGB XYZ ")],
    ...[big(2024, 2), big(5, 2), big(6, 2), big(7, 2), big(8, 2), big(9, 2), bytesOf("acspMSFT")],
    ...[
      big(0, 24),
      fixed(0.9642),
      fixed(1),
      fixed(0.8249),
      bytesOf(CANARY.slice(0, 4)),
      big(0, 44),
    ],
    ...[big(tags.length, 4), ...table, ...contents],
  ])
}
