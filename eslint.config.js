import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"
import { floorRules } from "./floors.ts"

export default defineConfig(
  { ignores: ["**/dist/", "**/node_modules/", "data/", "**/*.cjs", "**/*.js"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // Numbers and booleans read well in messages; objects do not and stay refused.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      // Ports and services are plain objects of closures; there is no `this` to lose.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      // A port answers with a promise also where its embedded adapter happens to be synchronous.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      // node:test registers a test when called; its promise is the runner's business.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            {
              from: "package",
              package: "node:test",
              name: [
                "test",
                "suite",
                "describe",
                "it",
                "before",
                "after",
                "beforeEach",
                "afterEach",
              ],
            },
          ],
        },
      ],
    },
  },
  {
    // Only main.ts, the test runner's side and scripts may touch the process; everything else is
    // handed what it needs. The bodies of processes of their own import it by name.
    files: ["packages/*/src/**/*.ts"],
    ignores: ["packages/server/src/main.ts", "**/*.test.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        {
          name: "process",
          message: "Only main.ts reads the process; take what you need as an argument.",
        },
      ],
    },
  },
  {
    // Whatever is random here keeps a secret or hides a person.
    files: [
      "packages/core/src/drop/**/*.ts",
      "packages/console/src/**/*.ts",
      "packages/drop/src/browser/**/*.ts",
    ],
    rules: {
      "no-restricted-properties": [
        "error",
        {
          object: "Math",
          property: "random",
          message: "Only crypto.getRandomValues is random enough.",
        },
      ],
    },
  },
  ...floorRules,
)
