import { type DropConfig, dropSettings, readDropConfig } from "../src/drop-config.ts"

/** The drop's settings where only these are given. */
export function testDropConfig(given: Readonly<Record<string, string>> = {}): DropConfig {
  const faults: string[] = []
  const optional = (name: string): string | null => {
    const setting = dropSettings.find((each) => each.name === name)
    return (given[name] ?? setting?.fallback) || null
  }
  const integer = (name: string): number => Number(optional(name))
  const config = readDropConfig({ production: false, optional, integer, faults })
  if (faults.length > 0) throw new Error(faults.join("; "))
  return config
}
