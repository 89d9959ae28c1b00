import { typedCommand } from "@assay/runtime/typed-command"

/** A tenant or a decision names a version whose document is not there. */
export class ModelNotLoaded extends Error {
  override readonly name = "ModelNotLoaded"
  constructor(name: "email" | "phone", version: string) {
    super(
      `The ${name} model ${version} is not loaded; ${typedCommand("model list")} names those that are`,
    )
  }
}
