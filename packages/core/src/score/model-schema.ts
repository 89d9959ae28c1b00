import { EmailModelSchema } from "./model-email.ts"
import { PhoneModelSchema } from "./model-phone.ts"

/**
 * The JSON Schemas of model documents, for editors and other tools. They say what a member may be
 * by itself; how members must lie to each other is checked when a model is loaded.
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
