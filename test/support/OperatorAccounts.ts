import { hash } from "node:crypto"
import { Effect } from "effect"
import { type Actor, OperatorId, type Role } from "../../core/domain/Operator.ts"
import { CurrentActor } from "../../core/ports/CurrentActor.ts"
import { runStatement } from "./EmbeddedDatabases.ts"

/** The token for OPERATOR_TOKEN of an operator of the tests. */
export const operatorToken = (name: string): string => hash("sha256", `token of ${name}`, "base64url")

/** Creates an active account with a token, if no account has this name. No password opens the account. */
export const addOperator = (url: string, name: string, role: Role = "supervisor") =>
  runStatement(
    url,
    `do $$
    begin
      insert into directory.operator (name, role, created_at) values ('${name}', '${role}', now()) on conflict do nothing;
      update directory.operator
      set password_hash = 'none', totp_secret = '\\x00', token_hash = sha256('${operatorToken(name)}')
      where name = '${name}' and token_hash is null;
    end;
    $$`
  ).pipe(Effect.orDie)

/** An operator who uses the console. */
export const actorNamed = (name: string, role: Role = "supervisor"): Actor => ({
  id: OperatorId.make(1),
  name,
  role,
  via: "console",
  address: "203.0.113.7"
})

/** Runs a workflow for an operator. */
export const actingAs = (name: string, role?: Role) => Effect.provideService(CurrentActor, actorNamed(name, role))
