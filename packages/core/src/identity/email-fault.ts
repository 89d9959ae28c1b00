const details = {
  empty: "The address is empty.",
  "no-at": "The address has no @ sign.",
  "too-long": "The address is longer than 254 octets.",
  "lone-surrogate": "The address is not well-formed Unicode text.",
  "control-character": "The address contains a control character.",
  "bidi-control": "The address contains a character that changes the direction of writing.",
  "replacement-character": "The address contains U+FFFD, which marks text that was lost.",
  "invisible-character": "The part before the @ sign contains a character that cannot be seen.",
  "unassigned-character":
    "The part before the @ sign contains a character Unicode has not assigned.",
  "local-empty": "The part before the @ sign is empty.",
  "local-too-long": "The part before the @ sign is longer than 64 octets.",
  "local-invalid": "The part before the @ sign is not written as RFC 5321 and RFC 6531 allow.",
  "address-literal": "The domain is a bracketed network address instead of a name.",
  "domain-empty": "The domain is empty.",
  "domain-invalid": "The domain is not a name that can exist in the DNS.",
  "single-label-domain": "The domain is a single label without a dot.",
  "label-empty": "The domain has an empty label.",
  "label-too-long": "The domain has a label longer than 63 octets.",
} as const

/** Why a text is no e-mail address. The words are stable; new ones may be added. */
export type EmailFaultWord = keyof typeof details

/** A refusal. `detail` may be shown to anybody: it never quotes what was refused. */
export interface EmailFault {
  readonly fault: EmailFaultWord
  readonly detail: string
}

export function emailFault(fault: EmailFaultWord): EmailFault {
  return { fault, detail: details[fault] }
}
