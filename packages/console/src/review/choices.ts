const any = { value: "", label: "Any" }

export const BANDS_OF_REVIEW = [
  any,
  { value: "critical", label: "Critical" },
  { value: "high", label: "High" },
  { value: "elevated", label: "Elevated" },
  { value: "low", label: "Low" },
]

export const STAGES_OF_REVIEW = [
  any,
  ...["CLEAN", "LEAKED", "REPOSTED", "TRADED", "TESTED", "ATTACKED", "MONETIZED"].map((stage) => ({
    value: stage,
    label: stage,
  })),
]
