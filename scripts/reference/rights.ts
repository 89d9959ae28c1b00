import { type Open, type Right, RIGHTS, SERVICE_ROLES, TENANT_ROLES } from "@assay/core/contract"
import { code, lines, table } from "./page.ts"

const roles = [...TENANT_ROLES, ...SERVICE_ROLES]

export function rightsPage(): string {
  return lines(
    "# Rights",
    "Who may carry out which operation of the [HTTP API](api.md). The service checks by this very table, and an operation without a row does not start.",
    "A key needs any one of the scopes; a person needs any of the roles. Owners, analysts and viewers act within their own tenant. Administrators and recipients of the drop act for the service.",
    table(["Operation", "Scopes of a key", ...roles], Object.entries(RIGHTS).map(row)),
    "Operations for anyone ask for no key. Carriers send a token of their own. Those for signing in know people by what they send. In a tenant nobody may do what its plan does not have.",
  )
}

function row([operation, right]: [string, Right | Open]): string[] {
  if (typeof right === "string") return [code(operation), right, ...roles.map(() => "")]
  const scopes = right.scopes.map(code).join(" or ")
  return [
    code(operation),
    scopes,
    ...roles.map((role) =>
      right.roles === "signed-in" || right.roles.includes(role) ? "yes" : "",
    ),
  ]
}
