/** Terms of the models that lower a score, in words; the same term can raise one instead. */
const WORDS: Readonly<Record<string, string>> = {
  active: "the number is in use",
  corporate: "the domain is a company's own",
  deliverable: "the mailbox takes mail",
  device_continuity: "the device is the same as before",
  domain_age: "the domain is old",
  email_age: "the address is old",
  handle: "the name is one that people choose",
  line: "the line is of a kind that is rarely abused",
  ownership_verified: "its owner proved to hold it",
  sim_moved_same_device: "the SIM stayed with its device",
  tenure: "the number has long been with its holder",
  traces: "it is in use elsewhere",
}

export function mitigationWords(term: string): string {
  return WORDS[term] ?? term.replaceAll("_", " ")
}
