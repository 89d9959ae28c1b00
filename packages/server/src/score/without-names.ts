import type { EmailInput } from "@assay/core/score"
import { numbered } from "./observations.ts"
import type { Decision } from "@assay/stores/decisions"

/**
 * A decision as a plan without named sources sees it, whatever the plan was at the time. Labels
 * only distinguish sources, so the score computed from them is the same.
 */
export function withoutNames(decision: Decision): Decision {
  if (decision.identityType !== "email") return decision
  const input = JSON.parse(decision.input) as EmailInput
  const sourceLabel = numbered("source")
  const itemLabel = numbered("item")
  const unnamed = <T extends { source: string; item?: string | null | undefined }>(one: T): T => ({
    ...one,
    source: sourceLabel(one.source),
    ...(typeof one.item === "string" ? { item: itemLabel(one.item) } : {}),
  })
  const { trust } = input
  return {
    ...decision,
    input: JSON.stringify({
      ...input,
      // The sentence then counts block lists without naming them.
      ...(trust?.blocklist && {
        trust: { ...trust, blocklist: trust.blocklist.map(({ name: _, ...entry }) => entry) },
      }),
      ...(input.exposures && { exposures: input.exposures.map(unnamed) }),
      ...(input.signals && { signals: input.signals.map(unnamed) }),
    }),
  }
}
