/** Held by the node that imports, of all that share the records. */
export const IMPORT_LEASE = "import"
