import { newFiller } from "./filler.ts"
import type { FormState } from "./pages/page-input.ts"

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
