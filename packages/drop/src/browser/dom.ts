/** The element of this id; a page without it is not the page this script was made for. */
export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`)
  return found
}

/** Shows or hides what the page holds for its script. */
export function shown(id: string, visible: boolean): void {
  element(id, HTMLElement).hidden = !visible
}

/** Puts a sentence where the page has a place for it; an empty one takes it away. */
export function say(id: string, sentence: string): void {
  const place = element(id, HTMLElement)
  place.textContent = sentence
  place.hidden = sentence === ""
}

/**
 * A new element with a text in it. Text is only ever set as text: there is no HTML from anywhere.
 */
export function made<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = "",
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag)
  created.textContent = text
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  return created
}

export function button(text: string, onClick: () => void): HTMLButtonElement {
  const created = made("button", text, { type: "button", class: "quiet" })
  created.addEventListener("click", onClick)
  return created
}
