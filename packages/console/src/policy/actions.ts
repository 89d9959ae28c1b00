/** The actions in the order of how much they ask of a person, each with a colour and a dash. */
export const ACTIONS = [
  { action: "allow", colour: "var(--low)", dash: "none" },
  { action: "step_up_auth", colour: "var(--elevated)", dash: "9 4" },
  { action: "review", colour: "var(--accent)", dash: "2 4" },
  { action: "block", colour: "var(--critical)", dash: "12 4 2 4" },
] as const

export type ActionName = (typeof ACTIONS)[number]["action"]

export const colourOf = (action: string): string =>
  ACTIONS.find((other) => other.action === action)?.colour ?? "var(--soft)"
