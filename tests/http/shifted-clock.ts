// Loaded before a program (`node --import`): its clock runs on from another moment. Answers about
// stored data then never change with the day on which a test asks for them.
const offsetMs = Number(process.env["CLOCK_OFFSET_MS"] ?? 0)
const realNow = Date.now.bind(Date)
const now = (): number => realNow() + offsetMs

globalThis.Date = new Proxy(Date, {
  construct: (date, args, made) =>
    Reflect.construct(date, args.length === 0 ? [now()] : args, made) as Date,
  apply: () => new Date().toString(),
  get: (date, name) => (name === "now" ? now : (Reflect.get(date, name) as unknown)),
})
