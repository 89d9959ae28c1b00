import { type Static, Type } from "typebox"
import { CarrierError } from "./carrier-error.ts"
import { exactly, type LineOperation, PhoneNumber, readRequest, subject } from "./operation.ts"

const Address = Type.String({ format: "ipv4" })
const Device = Type.Object(
  {
    phoneNumber: Type.Optional(PhoneNumber),
    networkAccessIdentifier: Type.Optional(Type.String()),
    ipv4Address: Type.Optional(
      Type.Object(
        {
          publicAddress: Address,
          privateAddress: Type.Optional(Address),
          publicPort: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
        },
        exactly,
      ),
    ),
    ipv6Address: Type.Optional(Type.String({ format: "ipv6" })),
  },
  { ...exactly, minProperties: 1 },
)
const DeviceRequest = Type.Object({ device: Type.Optional(Device) }, exactly)

/** How long ago the network last heard of a handset. */
const SEEN_MS = 30_000

/**
 * APIs about the handset as the network sees it now: Device Reachability Status, Device Roaming
 * Status.
 */
export const handsetOperations: readonly LineOperation[] = [
  {
    api: "reachability",
    path: "/device-reachability-status/v1/retrieve",
    scopes: ["device-reachability-status:read"],
    read(body) {
      const { device } = readRequest(DeviceRequest, body)
      return {
        number: numberOf(device),
        answer: ({ reachable_by: by }, nowMs) => ({
          ...chosen(device),
          lastStatusTime: new Date(nowMs - SEEN_MS).toISOString(),
          reachable: by.length > 0,
          ...(by.length > 0 && { connectivity: by }),
        }),
      }
    },
  },
  {
    api: "roaming",
    path: "/device-roaming-status/v1/retrieve",
    scopes: ["device-roaming-status:read"],
    read(body) {
      const { device } = readRequest(DeviceRequest, body)
      return {
        number: numberOf(device),
        answer: ({ roaming }, nowMs) => ({
          ...chosen(device),
          lastStatusTime: new Date(nowMs - SEEN_MS).toISOString(),
          roaming: roaming !== null,
          ...(roaming && { countryCode: roaming.mcc, countryName: roaming.countries }),
        }),
      }
    },
  },
]

function numberOf(device: Static<typeof Device> | undefined): string {
  if (device !== undefined && device.phoneNumber === undefined)
    throw new CarrierError(
      422,
      "UNSUPPORTED_IDENTIFIER",
      "This carrier knows devices by their phone number only",
    )
  return subject(device?.phoneNumber)
}

/** A client that names a device in several ways learns which of them was used to find it. */
function chosen(device: Static<typeof Device> | undefined): object {
  if (device === undefined || Object.keys(device).length < 2) return {}
  return { device: { phoneNumber: device.phoneNumber } }
}
