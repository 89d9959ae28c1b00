import { Explained } from "@assay/runtime/explained"
import { typedCommand } from "@assay/runtime/typed-command"

/** A tenant or a decision names a version whose document is not there. */
export class ModelNotLoaded extends Explained {
  override readonly name = "ModelNotLoaded"
  constructor(name: "email" | "phone", version: string) {
    super(
      "model-not-loaded",
      `The ${name} model ${version} is not loaded; ${typedCommand("model list")} names those that are`,
    )
  }
}
