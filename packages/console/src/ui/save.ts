/** Hands lines of CSV to the browser as a file. */
export function saveCsv(name: string, parts: readonly BlobPart[]): void {
  const href = URL.createObjectURL(new Blob([...parts], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = href
  link.download = name
  link.click()
  // The browser takes hold of the file when the click is handled.
  setTimeout(() => URL.revokeObjectURL(href), 0)
}
