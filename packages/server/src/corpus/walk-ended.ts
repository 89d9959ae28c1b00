/** What is said where LMDB followed a damaged page and the process that read the index was ended by it. */
export function walkEnded(signal: string): string {
  return `the index cannot be read through: a damaged page of its file ended the process that followed it (${signal}); stop the service and run assay corpus rebuild --lost-index`
}
