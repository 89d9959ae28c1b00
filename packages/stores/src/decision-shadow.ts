import type { ShadowAnswer } from "./decisions.ts"

/** Longer than any that is written, with the tab before it. */
export const SHADOW_LENGTH_MAX = 80

/** As it stands in journals and behind the inputs of blocks: words without a tab. */
export function shadowText({ version, score, stage, action }: ShadowAnswer): string {
  return `${version} ${score} ${stage ?? "-"} ${action}`
}

const TEXT = /^([1-9]\d{0,8}) (\d{1,3}) ([A-Z_]{1,30}|-) ([a-z_]{1,30})$/

/** null for a text that is none. */
export function readShadow(text: string): ShadowAnswer | null {
  const [, version, score, stage = "-", action = ""] = TEXT.exec(text) ?? []
  if (version === undefined || Number(score) > 100) return null
  return {
    version: Number(version),
    score: Number(score),
    stage: stage === "-" ? null : stage,
    action,
  }
}
