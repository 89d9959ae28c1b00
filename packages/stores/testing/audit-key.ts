/** The key of the audit trail in tests of the stores alone. */
export const auditKey = new Uint8Array(32).fill(7)
