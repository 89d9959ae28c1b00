import email10 from "./email-1.0.json" with { type: "json" }
import email11 from "./email-1.1.json" with { type: "json" }
import { frozen, readDocument } from "./model-document.ts"
import { checkEmailRules } from "./model-email-rules.ts"
import { type EmailModel, EmailModelSchema } from "./model-email.ts"
import { checkPhoneRules } from "./model-phone-rules.ts"
import { type PhoneModel, PhoneModelSchema } from "./model-phone.ts"
import phone10 from "./phone-1.0.json" with { type: "json" }
import phone11 from "./phone-1.1.json" with { type: "json" }

/** Models by version. Any other version than those named may be missing. */
export interface Models<M> {
  readonly "1.0": M
  readonly "1.1": M
  readonly [version: string]: M
}

// Versions are added, never edited or removed: a stored decision names the one that made it. These
// are part of the program, so a test checks them, and not every start.
export const emailModels: Models<EmailModel> = byVersion({
  "1.0": frozen(email10) as unknown as EmailModel,
  "1.1": frozen(email11) as unknown as EmailModel,
})
export const phoneModels: Models<PhoneModel> = byVersion({
  "1.0": frozen(phone10) as unknown as PhoneModel,
  "1.1": frozen(phone11) as unknown as PhoneModel,
})

// Without a prototype, so that no method of objects passes for a version.
function byVersion<M>(models: Models<M>): Models<M> {
  return Object.freeze(Object.assign(Object.create(null) as object, models))
}

/** A checked e-mail model; fails with the path and the reason for a malformed document. */
export function loadEmailModel(document: unknown): EmailModel {
  const model = readDocument("email", EmailModelSchema, document)
  checkEmailRules(model)
  return model
}

/** A checked phone model; fails with the path and the reason for a malformed document. */
export function loadPhoneModel(document: unknown): PhoneModel {
  const model = readDocument("phone", PhoneModelSchema, document)
  checkPhoneRules(model)
  return model
}

/**
 * The JSON Schemas of model documents, for editors and other tools. They describe each member by
 * itself; the rules between members are checked when a model is loaded.
 */
export const modelSchemas = {
  email: published("email", "E-mail model of Assay", EmailModelSchema),
  phone: published("phone", "Phone model of Assay", PhoneModelSchema),
}

// Tables are written as tuples in the manner of draft 7.
function published(name: string, title: string, schema: object): object {
  const $schema = "http://json-schema.org/draft-07/schema#"
  return { $schema, $id: `urn:assay:model:${name}`, title, ...schema }
}
