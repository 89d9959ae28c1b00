// How every file is formatted.
import { defineConfig } from "oxfmt"

export default defineConfig({
  semi: false,
  printWidth: 100,
  embeddedLanguageFormatting: "off",
  sortPackageJson: false,
  ignorePatterns: [
    "dist/",
    "data/",
    "package-lock.json",
    "packages/core/src/score/handle-table.json",
    "bench/results/",
    "docs/soak/",
    "packages/corpus/src/formats/golden/",
    "packages/drop/browser/",
    "packages/drop/programs/",
    "packages/server/built/",
    "tests/fixtures/published/",
    // Formatted as they are made, and compared with that by `npm run docs`.
    "docs/reference/",
    "docs/drop-tests.md",
  ],
})
