import type { NumberType } from "./phone.ts"

/** The words for a line that follow from a number's type; the model knows more, from other evidence. */
export type LineOfNumber =
  "mobile" | "fixed" | "voip_fixed" | "voip_nonfixed" | "toll_free" | "premium" | "unknown"

const LINE_OF: Readonly<Record<NumberType, LineOfNumber>> = {
  mobile: "mobile",
  satellite: "mobile",
  fixed_line_or_mobile: "mobile",
  fixed_line: "fixed",
  uan: "fixed",
  shared_cost: "fixed",
  voip_fixed: "voip_fixed",
  voip: "voip_nonfixed",
  voip_non_fixed: "voip_nonfixed",
  personal: "voip_nonfixed",
  voicemail: "voip_nonfixed",
  pager: "voip_nonfixed",
  toll_free: "toll_free",
  premium_rate: "premium",
  invalid: "unknown",
  unknown: "unknown",
}

/** The `line` of a number type, as model 1.0, section 6, maps them. */
export function lineOf(numberType: NumberType): LineOfNumber {
  return LINE_OF[numberType]
}
