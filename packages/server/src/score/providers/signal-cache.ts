import type { SignalResult } from "./signals.ts"

/**
 * What providers said, by identity key and slot. A slot names the tenant and all else an answer
 * depends on.
 */
export interface SignalCache {
  get(key: string, slot: string, nowMs: number): SignalResult | undefined
  /** Kept for `keepMs`, or until the identity is forgotten or makes room for others. */
  set(key: string, slot: string, result: SignalResult, nowMs: number, keepMs: number): void
  /** Drops everything cached about an identity, for all tenants. */
  forget(key: string): void
  forgetAll(): void
}

interface Kept {
  readonly result: SignalResult
  readonly untilMs: number
}

/**
 * In memory only. Answers of one identity are kept together, so that one going out of date removes
 * all; the identity asked for longest ago makes room.
 */
export function openSignalCache(answersMax: number): SignalCache {
  // A Map keeps the order in which keys were set, so setting a key again moves it to the end.
  const identities = new Map<string, Map<string, Kept>>()
  let answers = 0

  const forget = (key: string): void => {
    answers -= identities.get(key)?.size ?? 0
    identities.delete(key)
  }
  const touch = (key: string, kept: Map<string, Kept>): void => {
    identities.delete(key)
    identities.set(key, kept)
  }
  /** The newest is never removed, so an identity with many answers may briefly exceed the bound. */
  const makeRoom = (): void => {
    for (const key of identities.keys()) {
      if (answers <= answersMax || identities.size === 1) return
      forget(key)
    }
  }

  return {
    get(key, slot, nowMs) {
      const kept = identities.get(key)
      const found = kept?.get(slot)
      if (kept === undefined || found === undefined) return undefined
      if (found.untilMs > nowMs) {
        touch(key, kept)
        return found.result
      }
      kept.delete(slot)
      answers--
      if (kept.size === 0) identities.delete(key)
      return undefined
    },
    set(key, slot, result, nowMs, keepMs) {
      const kept = identities.get(key) ?? new Map<string, Kept>()
      if (!kept.has(slot)) answers++
      kept.set(slot, { result, untilMs: nowMs + keepMs })
      touch(key, kept)
      makeRoom()
    },
    forget,
    forgetAll() {
      identities.clear()
      answers = 0
    },
  }
}
