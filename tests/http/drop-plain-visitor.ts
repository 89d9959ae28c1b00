// A browser without JavaScript, as far as the drop's pages need one: it reads forms and posts them.
import assert from "node:assert/strict"

export interface PlainPage {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** In UTF-8, as it was sent. */
  readonly bytes: number
}

export type FormValues = Readonly<Record<string, string | readonly File[]>>

/** Asks for a page. */
export async function getPage(url: string): Promise<PlainPage> {
  return await pageOf(await fetch(url))
}

/** Fills in the form with this id and posts it, with every field that a browser would post. */
export async function postForm(
  origin: string,
  page: PlainPage,
  id: string,
  values: FormValues,
): Promise<PlainPage> {
  const [, attributes = "", inner = ""] =
    new RegExp(`<form id="${id}"([^>]*)>(.*?)</form>`, "s").exec(page.html) ?? []
  assert.notEqual(inner, "", `there is no form ${id}`)
  const body = new FormData()
  for (const [name, value] of fieldsOf(inner)) body.append(name, value)
  for (const [name, value] of Object.entries(values)) {
    body.delete(name)
    for (const each of typeof value === "string" ? [value] : value) body.append(name, each)
  }
  const action = attributeOf(attributes, "action")
  return await pageOf(await fetch(origin + action, { method: "POST", body }))
}

export async function pageOf(response: Response): Promise<PlainPage> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const { status, headers } = response
  return { status, headers, html: bytes.toString(), bytes: bytes.length }
}

/** What a browser posts of a form that nobody touched. */
function fieldsOf(form: string): [string, string][] {
  const fields: [string, string][] = []
  for (const [, tag = ""] of form.matchAll(/<input([^>]*)>/g)) {
    const [name, type] = [attributeOf(tag, "name"), attributeOf(tag, "type")]
    const unchecked = (type === "radio" || type === "checkbox") && !/\schecked/.test(tag)
    if (type !== "file" && !unchecked) fields.push([name, attributeOf(tag, "value")])
  }
  for (const [, tag = ""] of form.matchAll(/<textarea([^>]*)>/g))
    fields.push([attributeOf(tag, "name"), messageIn(form)])
  return fields
}

function attributeOf(tag: string, name: string): string {
  return unescaped(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "")
}

/** What stands in the field for the message. */
export function messageIn(html: string): string {
  return unescaped(/<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(html)?.[1] ?? "")
}

/** The text of the element with this id. */
export function textOf({ html }: PlainPage, id: string): string {
  const [, tag = "", rest = ""] = new RegExp(`<(\\w+) id="${id}"[^>]*>(.*)`, "s").exec(html) ?? []
  return unescaped(rest.slice(0, rest.indexOf(`</${tag}>`)).replaceAll(/<[^>]*>/g, ""))
}

function unescaped(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}
