import { ageVectorsSuite } from "../../testing/drop/age-vectors-suite.ts"

ageVectorsSuite("the library as npm installs it", () => import("age-encryption"))
