/**
 * How many tenants' writes are under way at a time. Each waits for the disk twice; those of several
 * share the index's wait.
 */
export const TENANTS_AT_ONCE = 4
