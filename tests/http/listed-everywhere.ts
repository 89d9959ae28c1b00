import assert from "node:assert/strict"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import type { Service } from "./service.ts"
import { severalNodes } from "./shared-stores.ts"

/**
 * Resolves when lists have what any of several nodes answered before this call: they may lack it
 * for a second. Of one node a list has everything at once, so that nothing is waited for.
 */
export async function listedEverywhere(service: Service, key: string): Promise<void> {
  if (!severalNodes) return
  // Whoever asks for an id that nobody gave waits until all nodes have told what they decided.
  const path = `/api/v1/decisions/${newDecisionId(Date.now())}`
  const answer = await service.request(path, { key })
  await answer.body?.cancel()
  assert.equal(answer.status, 404)
}
