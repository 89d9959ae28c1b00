import { readDocument } from "./model-document.ts"
import { type PhoneModel, PhoneModelSchema } from "./model-phone.ts"
import { checkPhoneRules } from "./model-phone-rules.ts"

/** A checked phone model; fails with the path and the reason for a malformed document. */
export function loadPhoneModel(document: unknown): PhoneModel {
  const model = readDocument("phone", PhoneModelSchema, document)
  checkPhoneRules(model)
  return model
}
