/** Costs are counted in millionths of the unit prices are set in. */
export const MICROS = 1_000_000
