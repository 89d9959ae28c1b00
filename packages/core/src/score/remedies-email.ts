import type { EmailInput } from "./email-input.ts"
import { emailPass, type EmailPass } from "./email-pass.ts"
import { Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { remedy, type EmailRemedy, type RemedyName } from "./remedies.ts"

/** Not that of the pass that is explained, which is still being read. */
const room = new Evidence()

/**
 * What could be done today to lower the score, each by itself: the same input is assessed again
 * with that member as it would then be. What changes nothing is left out.
 */
export function emailRemedies(
  { score, stage }: EmailPass,
  input: EmailInput,
  model: EmailModel,
): EmailRemedy[] {
  return changedInputs(input).flatMap(([name, changed]) => {
    const after = emailPass(changed, model, room, false)
    if (after.score >= score) return []
    const also = after.stage === stage ? "" : `, at the stage ${after.stage}`
    return [{ ...remedy(name, after.score, also), threat_stage: after.stage }]
  })
}

function changedInputs(input: EmailInput): [RemedyName, EmailInput][] {
  const { trust, rotatedAge } = input
  const changed: [RemedyName, EmailInput][] = []
  if (rotatedAge == null || rotatedAge > 0)
    changed.push(["password_change", { ...input, rotatedAge: 0 }])
  // Nobody can prove that a mailbox is theirs whose mail comes back.
  if (trust?.ownershipVerified !== true && trust?.deliverable !== false && trust?.mx !== false)
    changed.push(["ownership_proof", { ...input, trust: { ...trust, ownershipVerified: true } }])
  return changed
}
