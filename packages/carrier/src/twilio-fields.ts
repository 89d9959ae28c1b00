/**
 * The fields of Twilio Lookup that the carrier for trials answers. One request may ask for several.
 */
export const TWILIO_FIELDS = [
  "line_type_intelligence",
  "sim_swap",
  "call_forwarding",
  "reassigned_number",
  "line_status",
] as const
export type TwilioField = (typeof TWILIO_FIELDS)[number]
