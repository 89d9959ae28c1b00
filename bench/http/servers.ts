import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BenchError } from "../bench.ts"
import { type RunningProgram, startProgram } from "../child-program.ts"
import { ANSWERS, type ConstantAnswers, WORKERS } from "./constant-answers.ts"
import { emailMix, phoneMix, seeded } from "./identity-mix.ts"
import { seedIndex } from "./known-identities.ts"
import type { LoadTarget } from "./load.ts"
import { assayProgram } from "../../scripts/program.ts"

export const VARIANTS = [
  "node-http",
  "fastify-email",
  "fastify-email-2",
  "fastify-phone",
  "email-1",
  "email-2",
  "phone-1",
  "phone-2",
] as const
export type VariantName = (typeof VARIANTS)[number]

/** One server under one kind of request. */
export interface Variant {
  readonly name: VariantName
  readonly pid: number
  /** Processes that answer requests. */
  readonly workers: number
  readonly target: LoadTarget
}

export interface Servers {
  readonly variants: readonly Variant[]
  close(): Promise<void>
}

const EMAIL_PATH = "/api/v1/risk/score"
const PHONE_PATH = "/api/v1/phone-risk"
/** How many answers are read before anything is measured. */
const CHECKED = 60

/**
 * Starts every server this bench compares, each in its own processes, and checks that they answer
 * as they should.
 */
export async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
  const programs: RunningProgram[] = []
  const close = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.stop()))
    rmSync(folder, { recursive: true })
  }
  const started = async (...args: Parameters<typeof startProgram>): Promise<RunningProgram> => {
    const program = await startProgram(...args)
    programs.push(program)
    return program
  }
  try {
    return { variants: await variantsIn(folder, started), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function variantsIn(folder: string, start: typeof startProgram): Promise<readonly Variant[]> {
  const emails = { path: EMAIL_PATH, bodiesFile: join(folder, "emails.ndjson") }
  const phones = { path: PHONE_PATH, bodiesFile: join(folder, "phones.ndjson") }
  writeFileSync(emails.bodiesFile, lines(emailMix().map(({ email }) => ({ email }))))
  writeFileSync(phones.bodiesFile, lines(phoneMix().map((phone) => ({ phone_number: phone }))))

  const services: Variant[] = []
  for (const workers of [1, 2] as const) {
    const data = join(folder, `data-${workers}`)
    const secret = join(folder, `secret-${workers}`)
    await seedIndex(join(data, "index"), secret, emailMix(), seeded(workers))
    const { pid, ready } = await start(
      [...assayProgram(), "serve"],
      {
        ASSAY_DATA: data,
        ASSAY_SECRET_FILE: secret,
        ASSAY_WORKERS: String(workers),
        PORT: "0",
        DROP: "off",
      },
      /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
    )
    const at = { port: Number(ready[1]), apiKey: ready[2] as string }
    services.push({ name: `email-${workers}`, pid, workers, target: { ...at, ...emails } })
    services.push({ name: `phone-${workers}`, pid, workers, target: { ...at, ...phones } })
  }
  for (const { name, target } of services) await requireAnswers(name, target)

  const answers = await typicalAnswers(services)
  // They look at no key; the header is sent all the same, since reading it is part of HTTP.
  const apiKey = services[0]?.target.apiKey ?? ""
  const constant = async (
    program: string,
    workers: number,
    routes: Partial<Record<VariantName, Pick<LoadTarget, "path" | "bodiesFile">>>,
  ): Promise<Variant[]> => {
    const { pid, ready } = await start(
      [join("bench", "http", program)],
      { [ANSWERS]: JSON.stringify(answers), [WORKERS]: String(workers) },
      /listening on (\d+)\n/,
    )
    const at = { port: Number(ready[1]), apiKey }
    return Object.entries(routes).map(([name, route]) => ({
      name: name as VariantName,
      pid,
      workers,
      target: { ...at, ...route },
    }))
  }
  return [
    ...(await constant("constant-node.ts", 1, { "node-http": emails })),
    ...(await constant("constant-fastify.ts", 1, {
      "fastify-email": emails,
      "fastify-phone": phones,
    })),
    ...(await constant("constant-fastify.ts", 2, { "fastify-email-2": emails })),
    ...services,
  ]
}

/**
 * What the service itself answers about an identity it knows nothing of: the most common answer of
 * the mix.
 */
async function typicalAnswers(services: readonly Variant[]): Promise<ConstantAnswers> {
  const answer = async (name: VariantName, body: object): Promise<object> => {
    const service = services.find((variant) => variant.name === name)
    if (service === undefined) throw new BenchError(`${name} was not started`)
    return await posted(service.target, body)
  }
  return {
    email: await answer("email-1", { email: "maria.garcia4711@firm.example" }),
    phone: await answer("phone-1", { phone_number: "+4917012345678" }),
  }
}

/**
 * Asks for identities of the mix and reads what comes back: a fast server with wrong answers is not
 * fast.
 */
async function requireAnswers(name: VariantName, target: LoadTarget): Promise<void> {
  const email = target.path === EMAIL_PATH
  const identities = (email ? emailMix().map((known) => known.email) : phoneMix()).slice(0, CHECKED)
  const member = email ? "email" : "phone_number"
  const scores = new Set<unknown>()
  for (const identity of identities) {
    const answer = (await posted(target, { [member]: identity })) as Record<string, unknown>
    if (answer[member] !== identity)
      throw new BenchError(`${name} answered about another identity than it was asked about`)
    scores.add(answer["risk_score"])
  }
  if (scores.size < 3) throw new BenchError(`${name} does not tell the identities of the mix apart`)
}

async function posted({ port, path, apiKey }: LoadTarget, body: object): Promise<object> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new BenchError(`${path} answered ${response.status}`)
  return (await response.json()) as object
}

function lines(bodies: readonly object[]): string {
  return bodies.map((body) => `${JSON.stringify(body)}\n`).join("")
}
