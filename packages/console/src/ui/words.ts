// Words for people where the service has names for programs.

const SUBJECTS: Readonly<Record<string, string>> = { email: "Address", phone: "Number" }

/** What was looked up. */
export const subjectWords = (subject: string): string => SUBJECTS[subject] ?? subject

const ROLES: Readonly<Record<string, string>> = {
  owner: "Owner",
  analyst: "Analyst",
  viewer: "Viewer",
  administrator: "Administrator",
  "drop-recipient": "Recipient of the drop",
}

export const roleWords = (role: string): string => ROLES[role] ?? role

/** Roles as the choices of a field. */
export const roleChoices = (roles: readonly string[]): { value: string; label: string }[] =>
  roles.map((value) => ({ value, label: roleWords(value) }))

const EVIDENCE: Readonly<Record<string, string>> = {
  breach: "Breach",
  paste: "Paste",
  combolist: "Combolist",
  stealer: "Stealer log",
  phish: "Phishing",
  repost: "Repost",
  listing: "Offer for sale",
  sale: "Sale",
  mention: "Mention",
  ready: "Ready to use",
  tested: "Tested password",
  attack: "Attack",
  monetized: "Theft",
  sim_change: "SIM change",
  port: "Port",
}

/** A kind of evidence, or of a source of it. */
export const evidenceWords = (kind: string): string => EVIDENCE[kind] ?? kind.replaceAll("_", " ")

const OUTCOMES: Readonly<Record<string, string>> = {
  confirmed_fraud: "Confirmed fraud",
  genuine: "Genuine",
  cannot_tell: "Cannot tell",
}

/** What an analyst decided. */
export const outcomeWords = (outcome: string): string => OUTCOMES[outcome] ?? outcome

const PLANS: Readonly<Record<string, string>> = { free: "Free", enterprise: "Enterprise" }

export const planWords = (plan: string): string => PLANS[plan] ?? plan
