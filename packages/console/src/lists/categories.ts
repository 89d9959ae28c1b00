import type { DomainOverride } from "@assay/client"

export type Category = DomainOverride["category"]

/** Each category in words; the order is that of the choices. */
export const CATEGORIES: Readonly<Record<Category, string>> = {
  allow: "Allow: nothing is held against it",
  deny: "Deny: block list, full confidence",
  toxic: "Toxic: known for abuse",
  disposable: "Disposable: thrown away after use",
  masked: "Masked: a relay that hides an address",
  free: "Free: anybody can have a mailbox",
}

export const isCategory = (text: string): text is Category => Object.hasOwn(CATEGORIES, text)

export const choices = Object.entries(CATEGORIES).map(([value, label]) => ({ value, label }))
