import { AssayProblem, AssayUnavailable } from "@assay/client"
import { OpenerFailure, type OpenerFault } from "../opener-calls.ts"
import { Rejected } from "../rejected.ts"

const faults: Readonly<Record<OpenerFault, string>> = {
  archive: "What is inside is not a message of this drop. Nothing of it is shown.",
  manifest: "What is inside does not describe itself as a message of this drop does.",
  size: "It is larger than the drop allows.",
  empty: "There is nothing in it.",
  files: "It names other files than it holds.",
  header: "It is not sealed as this drop seals.",
  identity:
    "None of your keys opens it. It may be sealed to a colleague, or to a key that was removed.",
  damaged: "It was changed after it was sealed. Nothing of it is shown.",
  recipients: "Nothing was sent. Compare and confirm the key words first.",
  "passphrase-needed": "The identity file is locked. Enter its passphrase.",
  "passphrase-wrong": "That is not the passphrase of this file.",
  unreadable: "That is not an identity file of age.",
  unclean:
    "The picture cannot be cleaned of what it says beside what it shows. Choose another, or send it as it is.",
  failed: "It did not work. Nothing was changed. Reload the page and try again.",
}

export function faultText(fault: OpenerFault): string {
  return faults[fault]
}

/** What went wrong, in a sentence for a person. */
export function failureText(error: unknown): string {
  if (error instanceof OpenerFailure) return faultText(error.fault)
  if (error instanceof AssayProblem) {
    if (error.status === 401) return "The service does not know this token."
    if (error.status === 403)
      return "This token may not do that. To read it needs the scope drop:read; to seal everything again, a token made with `npx assay operators token --reseal`."
    return `The service refused: ${error.title}.`
  }
  if (error instanceof AssayUnavailable) return "The service did not answer. Nothing was changed."
  if (error instanceof Rejected) return error.message
  return faults.failed
}
