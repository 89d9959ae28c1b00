import { parseEmail } from "@assay/core/identity"

/** Whether a text that is stored as it is has an e-mail address or a phone number in it. */
export function holdsIdentity(text: string): boolean {
  const isEmail = text
    .split(/[\s<>()[\]{},;:|/\\"'=]+/)
    .some((word) => word.includes("@") && !("fault" in parseEmail(word)))
  const withoutSeparators = text.replaceAll(/[\s().\-/]/g, "")
  return isEmail || /\+[1-9]\d{6,14}(?!\d)/.test(withoutSeparators)
}
