/** How many processes the Fastify server answers with, in its environment under this name. */
export const WORKERS = "BENCH_WORKERS"

/**
 * What the constant servers answer, handed to them as JSON in their environment under this name.
 */
export const ANSWERS = "BENCH_ANSWERS"

export interface ConstantAnswers {
  readonly email: object
  readonly phone: object
}

export function constantAnswers(
  env: Readonly<Record<string, string | undefined>>,
): ConstantAnswers {
  return JSON.parse(env[ANSWERS] ?? "") as ConstantAnswers
}
