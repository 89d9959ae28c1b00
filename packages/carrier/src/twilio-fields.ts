/** What Twilio Lookup can be asked for in one request, of what the carrier for trials answers. */
export const TWILIO_FIELDS = [
  "line_type_intelligence",
  "sim_swap",
  "call_forwarding",
  "reassigned_number",
  "line_status",
] as const
export type TwilioField = (typeof TWILIO_FIELDS)[number]
