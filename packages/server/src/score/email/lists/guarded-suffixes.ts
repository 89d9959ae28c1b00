/**
 * Suffixes whose registry gives names to governments, armed forces and treaty organisations only.
 */
const GOVERNMENT =
  /^(?:gov|mil|int|(?:gov|gob|gouv|govt|gub|gv|mil|admin)\.[a-z]{2}|go\.(?:ci|cr|id|jp|ke|kr|th|tz|ug)|fed\.us|nhs\.uk|police\.uk|parliament\.uk|gc\.ca|bund\.de)$/

/** The same for universities and schools. */
const ACADEMIC = /^(?:edu|(?:edu|ac)\.[a-z]{2}|sch\.[a-z]{2}|ed\.jp|k12\.[a-z]{2}\.us)$/

/**
 * Of those, suffixes where anybody can have a name: curated lists know disposable hosts there.
 * Their real universities are guarded by name (`universities.csv`).
 */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(
  "ac.id ac.nz edu.do edu.ge edu.it edu.kg edu.pl edu.rs edu.vn mil.pl".split(" "),
)

/** Whether names under a public suffix are given to universities or governments only. */
export function isGuardedSuffix(suffix: string): boolean {
  return !OPEN_TO_ALL.has(suffix) && (GOVERNMENT.test(suffix) || ACADEMIC.test(suffix))
}
