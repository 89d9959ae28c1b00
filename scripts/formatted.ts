import { format } from "oxfmt"
import config from "../oxfmt.config.ts"

/** A text as the repository formats files of its name. */
export async function formatted(text: string, name: string): Promise<string> {
  const { code, errors } = await format(name, text, config)
  const [first] = errors
  if (first !== undefined) throw new Error(`${name} cannot be formatted: ${first.message}`)
  return code
}
