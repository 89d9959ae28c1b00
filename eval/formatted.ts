import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { root } from "../scripts/repository.ts"

/** A text as the repository formats its kind. */
export async function formatted(text: string, parser: "json" | "markdown"): Promise<string> {
  const options = await resolveConfig(join(root, "package.json"))
  return await format(text, { ...options, parser })
}
