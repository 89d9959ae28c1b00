import { tabMemory } from "../ui/tab-memory.ts"

/** What was typed elsewhere to be scored here. */
export const { keep: handOver, useKept: useHanded } = tabMemory("to-score")
