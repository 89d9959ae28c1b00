import { readDocument } from "./model-document.ts"
import { type EmailModel, EmailModelSchema } from "./model-email.ts"
import { checkEmailRules } from "./model-email-rules.ts"

/** A checked e-mail model; fails with the path and the reason for a malformed document. */
export function loadEmailModel(document: unknown): EmailModel {
  const model = readDocument("email", EmailModelSchema, document)
  checkEmailRules(model)
  return model
}
