/** The words of `number_type`, published because the specification names only `mobile`. */
export const NUMBER_TYPES = [
  "mobile",
  "fixed_line",
  "fixed_line_or_mobile",
  "voip_fixed",
  "voip_non_fixed",
  "voip",
  "toll_free",
  "premium_rate",
  "shared_cost",
  "personal",
  "uan",
  "pager",
  "voicemail",
  "satellite",
  "invalid",
  "unknown",
] as const
