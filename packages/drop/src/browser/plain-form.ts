/** A form that the browser would send in plain text by itself, and now cannot. */
export interface TakenForm {
  readonly form: HTMLFormElement
  /** Sets what happens instead of sending. */
  onSubmit(act: () => void): void
  /** Lets the browser send the form again, because the person asked for exactly that. */
  giveBack(): void
}

/**
 * Takes a form out of the browser's hands. Two locks, since its content must never leave unsealed
 * by mistake: the event is stopped, and even if it were not, a form with the method `dialog`
 * outside a dialog is sent nowhere.
 */
export function takeOver(form: HTMLFormElement): TakenForm {
  const method = form.getAttribute("method") ?? "post"
  let act: (() => void) | null = null
  let given = false
  form.setAttribute("method", "dialog")
  form.addEventListener("submit", (event) => {
    if (given) return
    event.preventDefault()
    act?.()
  })
  return {
    form,
    onSubmit(wanted) {
      act = wanted
    },
    giveBack() {
      given = true
      form.setAttribute("method", method)
    },
  }
}
