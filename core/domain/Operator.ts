import { Schema } from "effect"
import { canonicalText, foldedText, lengthOf } from "./Text.ts"

export const OperatorId = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("OperatorId"))
export type OperatorId = typeof OperatorId.Type

/** Roles of operators, in ascending order. Each role may also do what the roles before it may do. */
export const Role = Schema.Literals(["lector", "cajero", "supervisor", "admin"])
export type Role = typeof Role.Type

/** Kinds of actions that operators take. */
export const OperatorAction = Schema.Literals([
  "read",
  "deposit",
  "propose",
  "confirm",
  "limits",
  "webhook",
  "case",
  "company",
  "token",
  "catalogue",
  "cell",
  "operator"
])
export type OperatorAction = typeof OperatorAction.Type

/** The lowest role that may take each action. */
export const lowestRole: Readonly<Record<OperatorAction, Role>> = {
  read: "lector",
  deposit: "cajero",
  propose: "supervisor",
  confirm: "supervisor",
  limits: "supervisor",
  webhook: "supervisor",
  case: "supervisor",
  company: "admin",
  token: "admin",
  catalogue: "admin",
  cell: "admin",
  operator: "admin"
}

/** Whether an operator with this role may take the action. */
export const may = (role: Role, action: OperatorAction): boolean =>
  Role.literals.indexOf(role) >= Role.literals.indexOf(lowestRole[action])

// Names of the two actors without an account: the server's shell and the service itself. No account may have them.
const shellName = "local"
const serverName = "server"
const reserved = [shellName, serverName].map(foldedText)

const operatorName_max = 80

// Latin letters of Western European languages only, because letters of other scripts look equal to them.
const nameForm = /^[A-Za-z0-9À-ÖØ-öø-ÿ][A-Za-z0-9À-ÖØ-öø-ÿ .'-]*$/

const isOperatorName = (text: string): boolean =>
  nameForm.test(text) && canonicalText(text) === text && !reserved.includes(foldedText(text))

/** The name of an operator. Two accounts never have names that are equal in folded form. */
export const OperatorName = Schema.String.check(
  Schema.makeFilter(isOperatorName, { message: "invalido" }, true),
  Schema.makeFilter((text: string) => lengthOf(text) <= operatorName_max, { message: "longitud" })
).pipe(Schema.brand("OperatorName"))
export type OperatorName = typeof OperatorName.Type

/** The origin of a change: the operator, the role, and the place from which the change was made. */
export const Actor = Schema.Struct({
  /** The account. Null for the service itself, and for the server's shell in an installation without an admin. */
  id: Schema.NullOr(OperatorId),
  name: Schema.String,
  role: Role,
  via: Schema.Literals(["console", "cli", "server"]),
  /** The address of the browser, or the system login of the command line. Null if unknown. */
  address: Schema.NullOr(Schema.String)
})
export type Actor = typeof Actor.Type

/** From where an operator signs in. */
export interface Origin {
  readonly via: "console" | "cli"
  /** The address of the browser, or the system login of the command line. Null if unknown. */
  readonly address: string | null
}

/** The actor for a person with access to the server's shell, in an installation without an admin. */
export const shellActorFrom = ({ address, via }: Origin): Actor => ({
  id: null,
  name: shellName,
  role: "admin",
  via,
  address
})

/** The actor of changes that the service makes by itself. */
export const serverActor: Actor = { id: null, name: serverName, role: "admin", via: "server", address: null }

/** Whether two names belong to the same operator. */
export const isSameOperator = (left: string, right: string): boolean => foldedText(left) === foldedText(right)
