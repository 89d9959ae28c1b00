import type { Caller } from "../accounts/callers.ts"

/** For whom is scored, by tenant; null where its settings cannot be read by this program. */
export type Tenants = ReadonlyMap<number, Caller | null>
