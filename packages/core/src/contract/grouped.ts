/**
 * A count as descriptions print it, such as 10,000. `toLocaleString` would load the tables of a
 * language for 30 ms, in every process that imports a description.
 */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",")
}
