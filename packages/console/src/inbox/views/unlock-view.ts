import type { Opener } from "../opener-calls.ts"
import { field, form, h } from "./dom.ts"
import { Rejected } from "../rejected.ts"
import { failureText } from "./failure-text.ts"

/** An identity file has a few lines; a larger file was chosen by mistake. */
const FILE_MAX = 1_000_000

/** Asks for the identity file, which goes to the worker and nowhere else. */
export function unlockView(
  opener: Opener,
  onUnlocked: (publicKeys: readonly string[]) => void,
): HTMLElement {
  const file = h("input", { id: "identity", type: "file" })
  const passphrase = h("input", { id: "passphrase", type: "password", autocomplete: "off" })
  const unlock = async (): Promise<void> => {
    const chosen = file.files?.[0]
    if (chosen === undefined) throw new Rejected("Choose your identity file.")
    if (chosen.size > FILE_MAX) throw new Rejected("That is not an identity file of age.")
    const bytes = new Uint8Array(await chosen.arrayBuffer())
    const locked = await opener.isLocked(bytes)
    if (locked && passphrase.value === "") throw new Rejected("Enter the passphrase of the file.")
    const publicKeys = await opener.unlock(bytes, locked ? passphrase.value : null)
    passphrase.value = ""
    onUnlocked(publicKeys)
  }
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Unlock your identity file"),
    h(
      "p",
      {},
      "The file is read in this browser and is not sent anywhere. It is forgotten when you lock the inbox or close the page.",
    ),
    form(
      [
        field("Identity file", file),
        field("Passphrase", passphrase, "Leave it empty for a file without one."),
      ],
      "Unlock",
      unlock,
      failureText,
    ),
  )
}
