import { bodyFault, codeFault, type StatusFault } from "./form-faults.ts"
import { readTypedCode } from "./thread-of-code.ts"
import type { Visit } from "./visit.ts"

/** The code that a form carries, or what to say next to its field. */
export async function codeOf({
  body,
  locale,
}: Visit): Promise<
  { readonly secret: Uint8Array } | { readonly fault: Omit<StatusFault, "field"> }
> {
  const broken = bodyFault(body)
  if (broken !== null) {
    const { field: _, ...fault } = broken
    return { fault }
  }
  const read = await readTypedCode(body.fields.get("code") ?? "", locale)
  return "secret" in read ? read : { fault: codeFault(read) }
}
