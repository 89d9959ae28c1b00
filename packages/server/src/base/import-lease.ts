/** Held by whichever process imports, of all nodes that share the records. */
export const IMPORT_LEASE = "import"
