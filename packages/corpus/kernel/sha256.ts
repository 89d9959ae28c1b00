// SHA-256 (FIPS 180-4) of four messages at once, one in each lane of a vector.

/** A state for each lane: eight words. Those that hashes begin with, and where the last one is. */
export const INITIAL: u32 = 0x1000
export const IDENTITY: u32 = 0x1080
export const PASSWORD: u32 = 0x1100
/** The message schedule, 64 words for each lane. The caller writes the first 16. */
export const SCHEDULE: u32 = 0x1300
export const DIGEST: u32 = 0x1700

const STATE_BYTES: u32 = 8 * 16
const ROUNDS: u32 = 64

const CONSTANTS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])
const INITIAL_WORDS: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])

export function prepareHashes(): void {
  for (let word: u32 = 0; word < 8; word++)
    v128.store(INITIAL + word * 16, v128.load_splat<u32>(INITIAL_WORDS + word * 4))
}

/** Keeps the state after one block of 64 bytes, the same in every lane. */
export function absorb(block: u32, state: u32): void {
  for (let word: u32 = 0; word < 16; word++)
    v128.store(SCHEDULE + word * 16, i32x4.splat(bswap(load<u32>(block + word * 4))))
  compress(INITIAL)
  memory.copy(state, DIGEST, STATE_BYTES)
}

/** Hashes the block in the schedule from a state on, into `DIGEST`. */
export function compress(state: u32): void {
  for (let at = SCHEDULE; at < SCHEDULE + (ROUNDS - 16) * 16; at += 16) {
    const sum = i32x4.add(v128.load(at), v128.load(at, 9 * 16))
    const mixed = i32x4.add(smallSigma0(v128.load(at, 16)), smallSigma1(v128.load(at, 14 * 16)))
    v128.store(at, i32x4.add(sum, mixed), 16 * 16)
  }
  let a = v128.load(state)
  let b = v128.load(state, 16)
  let c = v128.load(state, 32)
  let d = v128.load(state, 48)
  let e = v128.load(state, 64)
  let f = v128.load(state, 80)
  let g = v128.load(state, 96)
  let h = v128.load(state, 112)
  for (let round: u32 = 0; round < ROUNDS; round += 8) {
    // Each line is a round; instead of moving every word on, the next line names them anew.
    const word = SCHEDULE + round * 16
    const constant = CONSTANTS + round * 4
    h = i32x4.add(i32x4.add(h, input(word, constant)), chosen(e, f, g))
    d = i32x4.add(d, h)
    h = i32x4.add(h, majority(a, b, c))
    g = i32x4.add(i32x4.add(g, input(word + 16, constant + 4)), chosen(d, e, f))
    c = i32x4.add(c, g)
    g = i32x4.add(g, majority(h, a, b))
    f = i32x4.add(i32x4.add(f, input(word + 32, constant + 8)), chosen(c, d, e))
    b = i32x4.add(b, f)
    f = i32x4.add(f, majority(g, h, a))
    e = i32x4.add(i32x4.add(e, input(word + 48, constant + 12)), chosen(b, c, d))
    a = i32x4.add(a, e)
    e = i32x4.add(e, majority(f, g, h))
    d = i32x4.add(i32x4.add(d, input(word + 64, constant + 16)), chosen(a, b, c))
    h = i32x4.add(h, d)
    d = i32x4.add(d, majority(e, f, g))
    c = i32x4.add(i32x4.add(c, input(word + 80, constant + 20)), chosen(h, a, b))
    g = i32x4.add(g, c)
    c = i32x4.add(c, majority(d, e, f))
    b = i32x4.add(i32x4.add(b, input(word + 96, constant + 24)), chosen(g, h, a))
    f = i32x4.add(f, b)
    b = i32x4.add(b, majority(c, d, e))
    a = i32x4.add(i32x4.add(a, input(word + 112, constant + 28)), chosen(f, g, h))
    e = i32x4.add(e, a)
    a = i32x4.add(a, majority(b, c, d))
  }
  v128.store(DIGEST, i32x4.add(a, v128.load(state)))
  v128.store(DIGEST, i32x4.add(b, v128.load(state, 16)), 16)
  v128.store(DIGEST, i32x4.add(c, v128.load(state, 32)), 32)
  v128.store(DIGEST, i32x4.add(d, v128.load(state, 48)), 48)
  v128.store(DIGEST, i32x4.add(e, v128.load(state, 64)), 64)
  v128.store(DIGEST, i32x4.add(f, v128.load(state, 80)), 80)
  v128.store(DIGEST, i32x4.add(g, v128.load(state, 96)), 96)
  v128.store(DIGEST, i32x4.add(h, v128.load(state, 112)), 112)
}

function input(word: u32, constant: usize): v128 {
  return i32x4.add(v128.load(word), v128.load_splat<u32>(constant))
}

/** Of each bit of `e`: `f` where it is set, else `g`; with the large sigma of `e`. */
function chosen(e: v128, f: v128, g: v128): v128 {
  const choice = v128.xor(g, v128.and(e, v128.xor(f, g)))
  const sigma = v128.xor(v128.xor(rotated(e, 6), rotated(e, 11)), rotated(e, 25))
  return i32x4.add(choice, sigma)
}

/** Each bit as most of the three have it; with the large sigma of `a`. */
function majority(a: v128, b: v128, c: v128): v128 {
  const most = v128.xor(b, v128.and(v128.xor(a, b), v128.xor(b, c)))
  const sigma = v128.xor(v128.xor(rotated(a, 2), rotated(a, 13)), rotated(a, 22))
  return i32x4.add(most, sigma)
}

function smallSigma0(word: v128): v128 {
  return v128.xor(v128.xor(rotated(word, 7), rotated(word, 18)), i32x4.shr_u(word, 3))
}

function smallSigma1(word: v128): v128 {
  return v128.xor(v128.xor(rotated(word, 17), rotated(word, 19)), i32x4.shr_u(word, 10))
}

/** To the right. A vector has no rotation of its own. */
function rotated(words: v128, bits: i32): v128 {
  return v128.or(i32x4.shr_u(words, bits), i32x4.shl(words, 32 - bits))
}
