import { type EmailModel, emailModels, type PhoneModel, phoneModels } from "@assay/core/score"

export interface Models {
  readonly email: EmailModel
  readonly phone: PhoneModel
}

/** The models that answer today; older ones stay loaded in the core, so that a past decision can be repeated. */
export const currentModels: Models = { email: emailModels["1.0"], phone: phoneModels["1.0"] }
