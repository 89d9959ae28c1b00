/** Who may run a comparison over past decisions: it takes a worker's time from all others. */
export interface ComparisonPlaces {
  /**
   * Takes the tenant's place for `HELD_MS`, or goes on holding it. False where the tenant or too
   * many others hold theirs.
   */
  hold(of: ComparisonPlace): Promise<boolean>
  /** Gives it back; a place of another token stays. */
  leave(of: ComparisonPlace): Promise<void>
}

export interface ComparisonPlace {
  readonly tenantId: number
  /** Tells one comparison of a tenant from the next. */
  readonly token: string
}

/** A worker that dies leaves its places behind for this long. */
export const HELD_MS = 30_000
/** Of all tenants, at once. */
const PLACES = 2

interface Held {
  readonly token: string
  readonly untilMs: number
}

export function openComparisonPlaces(now: () => number): ComparisonPlaces {
  const held = new Map<number, Held>()
  /** A clock that was set back must not hold a place for longer. */
  const isOver = ({ untilMs }: Held): boolean => {
    const leftMs = untilMs - now()
    return leftMs <= 0 || leftMs > HELD_MS
  }
  return {
    async hold({ tenantId, token }) {
      for (const [tenant, place] of held) if (isOver(place)) held.delete(tenant)
      const own = held.get(tenantId)
      if (own === undefined ? held.size >= PLACES : own.token !== token) return false
      held.set(tenantId, { token, untilMs: now() + HELD_MS })
      return true
    },
    async leave({ tenantId, token }) {
      if (held.get(tenantId)?.token === token) held.delete(tenantId)
    },
  }
}
