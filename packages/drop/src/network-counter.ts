import { openNetworkNames } from "./network-names.ts"

/** At most this many networks are counted in an hour; further ones are not. */
const NETWORKS_MAX = 100_000

/** Counts messages by network, in memory, under a key that is thrown away with the hour. */
export interface NetworkCounter {
  /** False where the network of this address has sent enough for this hour. */
  admit(address: string | undefined): boolean
}

/** Only for a drop that is reached directly: visitors from this machine are not counted. */
export function openNetworkCounter(perHour: number, now: () => number): NetworkCounter {
  const names = openNetworkNames(now)
  let hour = names.hour()
  let counts = new Map<string, number>()
  return {
    admit(address) {
      if (perHour === 0) return true
      const name = names.nameOf(address)
      if (name === null) return true
      if (names.hour() !== hour) counts = new Map()
      hour = names.hour()
      const count = counts.get(name) ?? 0
      if (count >= perHour) return false
      if (count > 0 || counts.size < NETWORKS_MAX) counts.set(name, count + 1)
      return true
    },
  }
}
