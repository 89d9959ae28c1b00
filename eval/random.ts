/**
 * Numbers that look random and are the same on every machine: sfc32 of PractRand (Chris
 * Doty-Humphrey), started from two 32-bit seeds as its author advises, with the first twelve
 * numbers thrown away. It uses integers of 32 bits alone, so no processor can round it in its own
 * way.
 */
export class Random {
  private a: number
  private b: number
  private c = 1
  private counter = 1

  /** Streams of the same seed have nothing to do with each other: each identity gets its own. */
  constructor(seed: number, stream: number) {
    this.a = seed | 0
    this.b = stream | 0
    for (let i = 0; i < 12; i++) this.bits()
  }

  private bits(): number {
    const sum = (this.a + this.b + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum
    this.c |= 0
    return sum >>> 0
  }

  /** From 0 up to, but never, 1. */
  share(): number {
    return this.bits() / 2 ** 32
  }

  chance(p: number): boolean {
    return this.share() < p
  }

  between(min: number, max: number): number {
    return min + (max - min) * this.share()
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.share() * count)
  }

  /** A waiting time. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.share())
  }

  /** How often something happens that is expected `mean` times: the waits that fit into one. */
  poisson(mean: number): number {
    let count = 0
    for (let waited = this.exponential(1); waited < mean; waited += this.exponential(1)) count++
    return count
  }

  one<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0]
  }

  /** Picks one of the names; each is as likely as its weight. Weights add up to 1. */
  pick<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights) as K[]
    let left = this.share()
    for (const name of names) {
      left -= weights[name]
      if (left < 0) return name
    }
    // Weights that add up to a hair less than 1 leave this gap.
    return names[names.length - 1] as K
  }
}
