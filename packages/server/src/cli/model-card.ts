import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { EmailModel } from "@assay/core/score"
import { emailModelCard } from "../score/model-card.ts"
import { CommandError } from "./terminal.ts"

/** Where an evaluation leaves its results, in a checkout; the installed package has none. */
const RESULTS = join(import.meta.dirname, "../../../../docs/model-card")

/** The card of a model with the results in the file named, or with those of its own evaluation where there are any. */
export function cardOf(model: EmailModel, file: string | null): string {
  const path = file ?? join(RESULTS, `evaluation-${model.version}.json`)
  if (file === null && !existsSync(path)) return emailModelCard(model, null)
  let results: unknown
  try {
    results = JSON.parse(readFileSync(path, "utf8"))
  } catch (error) {
    throw new CommandError(`The results in ${path} cannot be read`, { cause: error })
  }
  return emailModelCard(model, results)
}
