// Rules for every source. Types are checked in the same run: the linter has the compiler in it.
import { defineConfig } from "oxlint"
import { floorRules } from "./floors.ts"

const rules = [
  "no-var",
  "prefer-const",
  "prefer-rest-params",
  "prefer-spread",
  "typescript/await-thenable",
  "typescript/no-array-constructor",
  "typescript/no-array-delete",
  "typescript/no-base-to-string",
  "typescript/no-deprecated",
  "typescript/no-duplicate-enum-values",
  "typescript/no-duplicate-type-constituents",
  "typescript/no-dynamic-delete",
  "typescript/no-empty-object-type",
  "typescript/no-explicit-any",
  "typescript/no-extra-non-null-assertion",
  "typescript/no-extraneous-class",
  "typescript/no-for-in-array",
  "typescript/no-generated-empty-object-type",
  "typescript/no-implied-eval",
  "typescript/no-invalid-void-type",
  "typescript/no-meaningless-void-operator",
  "typescript/no-misused-new",
  "typescript/no-misused-promises",
  "typescript/no-misused-spread",
  "typescript/no-mixed-enums",
  "typescript/no-namespace",
  "typescript/no-non-null-asserted-nullish-coalescing",
  "typescript/no-non-null-asserted-optional-chain",
  "typescript/no-non-null-assertion",
  "typescript/no-redundant-type-constituents",
  "typescript/no-require-imports",
  "typescript/no-this-alias",
  "typescript/no-unnecessary-boolean-literal-compare",
  "typescript/no-unnecessary-condition",
  "typescript/no-unnecessary-template-expression",
  "typescript/no-unnecessary-type-arguments",
  "typescript/no-unnecessary-type-assertion",
  "typescript/no-unnecessary-type-constraint",
  "typescript/no-unnecessary-type-conversion",
  "typescript/no-unnecessary-type-parameters",
  "typescript/no-unsafe-argument",
  "typescript/no-unsafe-assignment",
  "typescript/no-unsafe-call",
  "typescript/no-unsafe-declaration-merging",
  "typescript/no-unsafe-enum-comparison",
  "typescript/no-unsafe-function-type",
  "typescript/no-unsafe-member-access",
  "typescript/no-unsafe-return",
  "typescript/no-unsafe-unary-minus",
  "typescript/no-unused-expressions",
  "typescript/no-useless-constructor",
  "typescript/no-useless-default-assignment",
  "typescript/no-wrapper-object-types",
  "typescript/only-throw-error",
  "typescript/prefer-as-const",
  "typescript/prefer-literal-enum-member",
  "typescript/prefer-namespace-keyword",
  "typescript/prefer-promise-reject-errors",
  "typescript/prefer-reduce-type-parameter",
  "typescript/prefer-return-this-type",
  "typescript/related-getter-setter-pairs",
  "typescript/triple-slash-reference",
  "typescript/unified-signatures",
  "typescript/use-unknown-in-catch-callback-variable",
]

export default defineConfig({
  options: { typeAware: true, typeCheck: true },
  plugins: ["typescript", "oxc"],
  categories: { correctness: "error" },
  ignorePatterns: [
    "**/dist/",
    "**/built/",
    "data/",
    // AssemblyScript, which its own compiler checks.
    "packages/corpus/kernel/",
    "**/*.cjs",
    "**/*.js",
    "!examples/**/*.cjs",
  ],
  rules: {
    ...Object.fromEntries(rules.map((rule) => [rule, "error"])),
    // Parsers look for bytes that are not printed, and write characters as escapes on purpose.
    "no-control-regex": "off",
    "no-misleading-character-class": "off",
    // Tests sort what they compare, in any order that is the same on both sides.
    "typescript/require-array-sort-compare": "off",
    "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
    "typescript/restrict-plus-operands": [
      "error",
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    // Numbers and booleans read well in messages; objects do not and stay refused.
    "typescript/restrict-template-expressions": [
      "error",
      { allowNumber: true, allowBoolean: true, allowNullish: true },
    ],
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    // Ports and services are plain objects of closures; there is no `this` to lose.
    "typescript/unbound-method": "off",
    "typescript/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    // A port answers with a promise also where its embedded adapter happens to be synchronous.
    "typescript/require-await": "off",
    "typescript/no-confusing-void-expression": [
      "error",
      { ignoreArrowShorthand: true, ignoreVoidOperator: true },
    ],
    // node:test registers a test when called; its promise is the runner's business.
    "typescript/no-floating-promises": [
      "error",
      {
        allowForKnownSafeCalls: [
          {
            from: "package",
            package: "node:test",
            name: ["test", "suite", "describe", "it", "before", "after", "beforeEach", "afterEach"],
          },
        ],
      },
    ],
  },
  overrides: [
    {
      // Only main.ts, the test runner's side and scripts may touch the process; everything else is
      // handed what it needs. The bodies of processes of their own import it by name.
      files: ["packages/*/src/**/*.ts"],
      excludeFiles: ["packages/server/src/main.ts", "**/*.test.ts"],
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
    {
      // Pasted into products that take JavaScript; there are no types to check.
      files: ["examples/**/*.{cjs,mjs}"],
      rules: Object.fromEntries(
        rules
          .filter((rule) => rule.startsWith("typescript/"))
          .concat("typescript/restrict-plus-operands", "typescript/no-confusing-void-expression")
          .map((rule) => [rule, "off"]),
      ),
    },
    ...floorRules,
  ],
})
