import { html } from "@assay/drop/pages/html"

interface PageFiles {
  readonly style: string
  readonly styleIntegrity: string
  readonly script: string
  readonly scriptIntegrity: string
}

/** The page of the inbox. All that is in it later is put there by its script, as text. */
export function dropPage({ style, styleIntegrity, script, scriptIntegrity }: PageFiles): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Drop inbox · Assay</title>
        <link rel="stylesheet" href="${style}" integrity="${styleIntegrity}" />
        <script src="${script}" integrity="${scriptIntegrity}" defer></script>
      </head>
      <body>
        <header><h1>Drop inbox</h1></header>
        <main>
          <noscript>
            <p>
              This page opens messages in your browser and needs JavaScript for it. Without it, use
              <code>npx assay drop sync</code> and <code>npx assay drop open</code>.
            </p>
          </noscript>
        </main>
      </body>
    </html> `.text
}
