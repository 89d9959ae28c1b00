/**
 * The most of a file that is looked at before it is sent. In a module of its own: clients use it,
 * and need not carry the schemas for that.
 */
export const IMPORT_PREVIEW_BYTES = 1 << 20
