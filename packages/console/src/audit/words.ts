import { momentWords } from "../ui/time.tsx"

/** What was done, in words; the name for programs is on hover. */
const ACTIONS: Readonly<Record<string, string>> = {
  "audit.chained": "Began the chain of hashes",
  "audit.cut": "Deleted old entries",
  "backup.make": "Made a backup",
  "backup.restore": "Restored a backup",
  "corpus.import": "Imported a file",
  "corpus.rebuild": "Built the index anew",
  "corpus.rekey": "Changed the key of the corpus",
  "drop.keys-set": "Set the keys of the drop",
  "invitation.accept": "Took up an invitation",
  "invitation.create": "Made an invitation",
  "invitation.end": "Ended an invitation",
  "key.change": "Changed a key",
  "key.create": "Made a key",
  "key.revoke": "Revoked a key",
  "key.rotate": "Rotated a key",
  "lists.override": "Added an override",
  "lists.overrule": "Imported a list",
  "lists.remove": "Removed a list",
  "lists.remove-override": "Removed an override",
  "member.remove": "Removed a member",
  "member.set-role": "Changed a role",
  "person.add-passkey": "Added a passkey",
  "person.create": "Joined",
  "person.make-recovery-codes": "Made recovery codes",
  "person.remove-passkey": "Removed a passkey",
  "person.remove-totp": "Removed an authenticator app",
  "person.set-decided-roles": "Had roles set by the company's account",
  "person.set-password": "Set a password",
  "person.set-roles": "Changed roles",
  "person.set-totp": "Set up an authenticator app",
  "policy.revert": "Reverted the policy",
  "policy.set": "Set the policy",
  "review-view.delete": "Deleted a saved view",
  "review-view.save": "Saved a view",
  "review.assign": "Assigned a review",
  "review.decide": "Decided a review",
  "review.undo": "Took a review back",
  "session.change": "Went to another tenant",
  "session.end": "Signed out",
  "session.end-all": "Ended other sessions",
  "session.open": "Signed in",
  "signup.approve": "Approved a sign-up",
  "signup.ask": "Signed up",
  "signup.refuse": "Refused a sign-up",
  "source.remove": "Removed a source",
  "source.retitle": "Gave a source another title",
  "source.set": "Changed a source",
  "subject.erase": "Erased a subject",
  "subject.export": "Exported a subject",
  "tenant.create": "Made a tenant",
  "tenant.end-shadow": "Ended the shadow of a policy",
  "tenant.set-plan": "Changed a plan",
  "tenant.set-settings": "Changed settings of a tenant",
  "tenant.set-shadow": "Set the shadow of a policy",
}

/** An action of a newer service stands as it is. */
export const auditWords = (action: string): string => ACTIONS[action] ?? action

/** The details of an entry as pairs of words; what is null says nothing. */
export function detailsOf(detail: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [wordsOf(name), valueOf(name, value)])
}

/** Names that say too little without the entry's code. */
const NAMES: Readonly<Record<string, string>> = { isNew: "new person" }

/** `expiresAt` and `tenant_id` as people write them. */
const wordsOf = (name: string): string =>
  NAMES[name] ??
  name
    .replaceAll("_", " ")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()

function valueOf(name: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number" && name.endsWith("At"))
    return momentWords(new Date(value).toISOString())
  if (typeof value === "string" || typeof value === "number") return String(value)
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return value.length === 0 ? "none" : value.join(", ")
  return JSON.stringify(value)
}
