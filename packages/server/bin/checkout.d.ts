export function programOf(checkout: string): string
