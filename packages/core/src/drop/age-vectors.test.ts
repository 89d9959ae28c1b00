import { ageVectorsSuite } from "./age-vectors-suite.ts"

ageVectorsSuite("the library as npm installs it", () => import("age-encryption"))
