type Child = Node | string | null

interface Properties {
  readonly [attribute: string]: string | boolean | ((event: Event) => void)
}

/**
 * A new element. A function listens to the event of its name, true sets an attribute without a
 * value, false none. Text is only ever set as text: there is no HTML from anywhere.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, value)
    else if (value !== false) element.setAttribute(name, value === true ? "" : value)
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

export function button(
  text: string,
  onClick: () => void,
  properties: Properties = {},
): HTMLButtonElement {
  return h("button", { type: "button", ...properties, click: onClick }, text)
}

/** A label and its control. */
export function field(
  label: string,
  control: HTMLElement & { id: string },
  hint: string | null = null,
): HTMLElement {
  const described =
    hint === null ? null : h("span", { class: "hint", id: `${control.id}-hint` }, hint)
  if (described !== null) control.setAttribute("aria-describedby", described.id)
  return h("div", { class: "field" }, h("label", { for: control.id }, label), described, control)
}

/**
 * A form that sends nothing by itself. Its button is disabled while the work goes on, and a failure
 * is shown beside it.
 */
export function form(
  fields: readonly HTMLElement[],
  submit: string,
  work: () => Promise<void>,
  failureText: (error: unknown) => string,
): HTMLFormElement {
  const send = h("button", { type: "submit", class: "primary" }, submit)
  const fault = h("p", { class: "fault", role: "alert", hidden: true })
  const run = async (): Promise<void> => {
    send.disabled = true
    fault.hidden = true
    try {
      await work()
    } catch (error) {
      fault.textContent = failureText(error)
      fault.hidden = false
    } finally {
      send.disabled = false
    }
  }
  return h(
    "form",
    {
      novalidate: true,
      autocomplete: "off",
      submit: (event) => {
        event.preventDefault()
        void run()
      },
    },
    ...fields,
    h("p", {}, send),
    fault,
  )
}

/** Replaces the content of a place, and moves the reader to the new heading. */
export function show(place: HTMLElement, ...children: readonly HTMLElement[]): void {
  place.replaceChildren(...children)
  const heading = place.querySelector<HTMLElement>("h1, h2")
  heading?.setAttribute("tabindex", "-1")
  heading?.focus({ preventScroll: true })
}

/**
 * Hands bytes to the browser for saving, without a type, so that nothing opens them automatically.
 */
export function save(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }))
  h("a", { href: url, download: name }).click()
  // The browser has taken hold of the URL once the click is over.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
