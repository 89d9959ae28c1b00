import { DATA_CLASSES, type DataClass } from "@assay/stores/entry"

/** What the public breach catalogue calls the data of a breach, where the model weighs it. */
const NAMES: Readonly<Record<DataClass, readonly string[]>> = {
  phone: ["Phone numbers"],
  dob: ["Dates of birth", "Partial dates of birth", "Years of birth"],
  address: ["Physical addresses", "Partial physical addresses", "Home addresses"],
  gov_id: [
    "Government issued IDs",
    "Partial government issued IDs",
    "Social security numbers",
    "Partial social security numbers",
    "Passport numbers",
    "Driver's licenses",
    "National IDs",
    "Tax records",
    "Taxation records",
  ],
  security_qa: ["Security questions and answers", "Mothers maiden names", "Password hints", "PINs"],
  ip_geo: ["IP addresses", "Geographic locations", "GPS coordinates", "Location histories"],
  device: [
    "Device information",
    "Device serial numbers",
    "Device usage tracking data",
    "Browser user agent details",
    "User agent details",
    "IMEI numbers",
    "IMSI numbers",
    "MAC addresses",
  ],
  payment: [
    "Credit cards",
    "Credit card CVV",
    "Partial credit card data",
    "Bank account numbers",
    "Payment histories",
    "Payment methods",
    "Financial transactions",
    "Cryptocurrency wallet addresses",
  ],
  session: ["Auth tokens", "Authentication tokens", "Session tokens", "Browser cookies"],
}

const classByName = new Map(
  DATA_CLASSES.flatMap((dataClass) =>
    NAMES[dataClass].map((name) => [name.toLowerCase(), dataClass] as const),
  ),
)

/**
 * The data classes that these names mean, in their own order. Most names mean none that the model
 * weighs.
 */
export function classesByCatalogueName(names: readonly string[]): DataClass[] {
  const meant = new Set(names.map((name) => classByName.get(name.toLowerCase())))
  return DATA_CLASSES.filter((dataClass) => meant.has(dataClass))
}
