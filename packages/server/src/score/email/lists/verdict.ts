import type { Judgement } from "./judgement.ts"

/** What follows from all lists, in words for people. */
export function verdictOf(judgement: Judgement): string[] {
  const { category, toxic, blocklisted, allowed, guarded } = judgement
  const words = [
    category,
    toxic ? "toxic" : null,
    blocklisted === "denied" ? "denied" : null,
    blocklisted === "weakly" ? "likely disposable, on one bulk list alone" : null,
    imitationOf(judgement),
    allowed ? "allowed" : null,
    guarded ? "under guard" : null,
  ].filter((word) => word !== null)
  return words.length === 0 ? ["nothing known"] : words
}

function imitationOf({ imitates, homograph }: Judgement): string | null {
  if (homograph === null) return imitates === null ? null : `imitates ${imitates}`
  if (homograph.imitates === null) return "mixes alphabets"
  return `imitates ${homograph.imitates} with look-alike letters`
}
