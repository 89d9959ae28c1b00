import type { DropCalls } from "@assay/client"
import type { Opener } from "../opener-calls.ts"
import { button, field, form, h, save, show } from "./dom.ts"
import { Rejected } from "../rejected.ts"
import { failureText } from "./failure-text.ts"

/** 12 characters or four words: the file may be stolen, and guessed at without anybody noticing. */
const PASSPHRASE_MIN = 12
const FILE_NAME = "assay-drop-identity.age"

interface FirstRun {
  readonly drop: DropCalls
  readonly opener: Opener
  /** The drop has its first key, and the worker holds the secret one. */
  readonly onDone: (recipient: string) => void
  /** There is a key on another machine already. */
  readonly onHaveKey: () => void
}

/** The guide for a drop that has no key yet. */
export function firstRunView({ drop, opener, onDone, onHaveKey }: FirstRun): HTMLElement {
  const place = h("div")
  const passphrase = h("input", { id: "passphrase", type: "password", autocomplete: "off" })
  const again = h("input", { id: "passphrase-again", type: "password", autocomplete: "off" })

  const create = async (): Promise<void> => {
    if (passphrase.value.length < PASSPHRASE_MIN)
      throw new Rejected(`The passphrase needs at least ${PASSPHRASE_MIN} characters.`)
    if (passphrase.value !== again.value) throw new Rejected("The two passphrases differ.")
    const { file, recipient } = await opener.newIdentity(passphrase.value)
    // Read back with the same passphrase before anything can be sealed to it: a file that does not
    // open loses messages.
    await opener.unlock(file, passphrase.value)
    passphrase.value = ""
    again.value = ""
    show(place, savedStep(file, recipient))
  }

  const savedStep = (file: Uint8Array<ArrayBuffer>, recipient: string): HTMLElement => {
    const saved = h("input", { id: "saved", type: "checkbox" })
    const use = async (): Promise<void> => {
      if (!saved.checked) throw new Rejected("Save the file first, and tick the box.")
      await drop.firstKeys([recipient])
      onDone(recipient)
    }
    const check = h(
      "p",
      { class: "check" },
      saved,
      h("label", { for: "saved" }, "I have saved the file in two places and know its passphrase."),
    )
    return h(
      "section",
      { class: "card" },
      h("h2", {}, "Save the identity file"),
      h(
        "p",
        {},
        "Whoever has this file and its passphrase can read what is sent to this drop. Without it nobody can, and no one can make it again.",
      ),
      h(
        "p",
        {},
        button("Save identity file", () => save(FILE_NAME, file)),
      ),
      h("p", { class: "key" }, "Public key: ", h("code", {}, recipient)),
      form([check], "Use this key for the drop", use, failureText),
    )
  }

  place.append(
    h(
      "section",
      { class: "card" },
      h("h2", {}, "Create the first key"),
      h(
        "p",
        {},
        "This drop has no key yet, so nothing can be sent to it. The key is made in this browser; its secret half never leaves your machine.",
      ),
      form(
        [
          field(
            "Passphrase",
            passphrase,
            `At least ${PASSPHRASE_MIN} characters; four or five unusual words are good.`,
          ),
          field("The same passphrase again", again),
        ],
        "Create key",
        create,
        failureText,
      ),
    ),
    h(
      "section",
      { class: "card" },
      h("h2", {}, "Or keep the key off this machine"),
      h(
        "p",
        {},
        "Safer: make the key on a machine without a network, and read messages there. One of these makes an identity file:",
      ),
      h(
        "pre",
        { tabindex: "0" },
        "npx assay drop new-identity identity.age\nage-keygen | age -p > identity.age",
      ),
      h("p", {}, "Then give the drop its public key, on the machine of the service:"),
      h("pre", { tabindex: "0" }, "npx assay drop keys add age1…"),
      h("p", {}, button("I already have an identity file", onHaveKey)),
    ),
  )
  return place
}
