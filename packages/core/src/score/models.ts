import email10 from "./email-1.0.json" with { type: "json" }
import email11 from "./email-1.1.json" with { type: "json" }
import { loadEmailModel } from "./load-email-model.ts"
import { loadPhoneModel } from "./load-phone-model.ts"
import type { EmailModel } from "./model-email.ts"
import type { PhoneModel } from "./model-phone.ts"
import phone10 from "./phone-1.0.json" with { type: "json" }
import phone11 from "./phone-1.1.json" with { type: "json" }

/** Models by version. Any other version than those named may be missing. */
export interface Models<M> {
  readonly "1.0": M
  readonly "1.1": M
  readonly [version: string]: M
}

// Versions are added, never edited or removed: a stored decision names the one that made it.
export const emailModels: Models<EmailModel> = byVersion({
  "1.0": loadEmailModel(email10),
  "1.1": loadEmailModel(email11),
})
export const phoneModels: Models<PhoneModel> = byVersion({
  "1.0": loadPhoneModel(phone10),
  "1.1": loadPhoneModel(phone11),
})

// Without a prototype, so that no version can be asked for that is a method of objects.
function byVersion<M>(models: Models<M>): Models<M> {
  return Object.freeze(Object.assign(Object.create(null) as object, models))
}
