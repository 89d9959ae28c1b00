import { randomBytes, randomInt } from "node:crypto"
import type { FormState } from "./pages/page-input.ts"

const FILLER_MAX = 64 * 1024

/** An empty form. */
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
 * Meaningless filler of 0 to 64 KiB in a form, so that the size of an upload without JavaScript
 * reveals less.
 */
function newFiller(): string {
  const length = randomInt(FILLER_MAX + 1)
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length)
}
