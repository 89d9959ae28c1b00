import swagger, { type StaticDocumentSpec } from "@fastify/swagger"
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import type { App } from "./app.ts"
import { Problem } from "../base/problem.ts"

/** Headers of one connection, or set by the service itself. */
const NOT_PASSED_ON = new Set(["connection", "keep-alive", "date", "transfer-encoding"])

/**
 * Serves the reference of the API at /docs. It is an application of its own, opened when somebody
 * first asks for it: loading it was a tenth of a worker's start, and most workers are never asked.
 * Its forms use the key of a demo, which every visitor has and which may only score.
 */
export function referenceRoutes(app: App, demoKey: () => string | null): void {
  let opened: Promise<FastifyInstance> | undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const reference = await (opened ??= openReference(app, demoKey()))
    const { method, url, headers } = request
    const got = await reference.inject({ method: method as "GET", url, headers })
    if (got.statusCode === 404)
      throw new Problem("not-found", "No operation or page has this path.")
    for (const [name, value] of Object.entries(got.headers))
      if (value !== undefined && !NOT_PASSED_ON.has(name)) reply.header(name, value)
    return reply.code(got.statusCode).send(got.rawPayload.length === 0 ? undefined : got.rawPayload)
  }
  for (const url of ["/docs", "/docs/*"])
    app.route({ method: ["GET", "HEAD"], url, schema: { hide: true }, handler: answer })
}

/** The library has a dark theme, which only a bar that we leave out would choose. */
const FOLLOW_THEME = `
const dark = matchMedia("(prefers-color-scheme: dark)")
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", follow)
follow()
`

async function openReference(app: App, demoKey: string | null): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import("@fastify/swagger-ui")
  const reference = fastify()
  await reference.register(swagger, {
    mode: "static",
    // The library's types know descriptions up to OpenAPI 3.0 here; it passes any on as it is.
    specification: { document: app.swagger() as StaticDocumentSpec["document"] },
  })
  await reference.register(swaggerUi, {
    routePrefix: "/docs",
    // The reference styles its parts inline and cannot do without; scripts stay to our own files.
    staticCSP:
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    theme: {
      title: "Assay API reference",
      js: [{ filename: "theme.js", content: FOLLOW_THEME }],
      css: [{ filename: "theme.css", content: "html.dark-mode body { background: #1c2022 }" }],
    },
    uiConfig: {
      // Without the bar that would ask for the address of another description.
      layout: "BaseLayout",
      validatorUrl: null,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      persistAuthorization: false,
      ...(demoKey !== null && { onComplete: authorizing(demoKey) }),
    },
  })
  await reference.ready()
  return reference
}

/**
 * Fills a key into the forms. The library writes the text of a function into a script of its own,
 * where `ui` is the reference: so it needs no script inside the page.
 */
function authorizing(key: string): () => void {
  const text = `function () { ui.preauthorizeApiKey("apiKey", ${JSON.stringify(key)}) }`
  return Object.assign(() => undefined, { toString: () => text })
}
