/** Text that is already HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | Html[]

/** Builds HTML. Escapes every value, unless it was itself built here. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, at) => text + escaped(values[at - 1] ?? "") + part))
}

function escaped(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(({ text }) => text).join("")
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1a1f24; --soft: #57606a; --line: #d8dee4; --accent: #0b5c5c; --ground: #ffffff; --code: #f4f6f7 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #30363d; --accent: #5cc7c1; --ground: #0f1417; --code: #171d21 } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 3rem 1.25rem 4rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p, li { margin: .4rem 0 } a { color: var(--accent) } .soft { color: var(--soft) }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: .9rem 1rem; overflow-x: auto; font: .875rem/1.5 ui-monospace, monospace }
code { font-family: ui-monospace, monospace; font-size: .925em } 
dt { margin-top: .9rem } dd { margin: .1rem 0 0 }
`

/** A page whose policy allows its style by hash only: nothing else can style it or run on it. */
export function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.text
}

export { STYLE as PAGE_STYLE }
