import { randomBytes, randomInt } from "node:crypto"
import type { FormState } from "./pages/page-input.ts"

const FILLER_MAX = 64 * 1024

/** A form that nobody has filled in yet. */
export function freshForm(token: string): FormState {
  return {
    token,
    filler: newFiller(),
    message: "",
    mode: "two-way",
    untouched: [],
    keepNames: false,
    code: "",
    faults: [],
  }
}

/**
 * What a form carries so that the size of what is sent without JavaScript says less: 0 to 64 KiB,
 * of no meaning.
 */
function newFiller(): string {
  const length = randomInt(FILLER_MAX + 1)
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length)
}
