import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { NodeCrypto, NodeHttpServer } from "@effect/platform-node"
import { Context, DateTime, Effect, Layer, Option, References } from "effect"
import { HttpServer } from "effect/http"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as DigestNode from "../../../adapters/node/DigestNode.ts"
import * as ProvidersConfigured from "../../../adapters/provider/ProvidersConfigured.ts"
import * as CallCounterMemory from "../../../adapters/ratelimit/CallCounterMemory.ts"
import { ServiceId, TokenId } from "../../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import type { Service } from "../../../core/domain/Service.ts"
import type { Token } from "../../../core/domain/Token.ts"
import { type AuditEvent, AuditLog } from "../../../core/ports/AuditLog.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { Directory } from "../../../core/ports/Directory.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { InFlight } from "../../../core/workflows/InFlight.ts"
import { answerClientErrors, serverOptions } from "../../../facade/http/clientError.ts"
import * as Http from "../../../facade/http/Http.ts"
import { HttpOptions } from "../../../facade/http/HttpOptions.ts"
import { company, service, token } from "../../unit/support/Examples.ts"

export const secret = "s3creto"
const secretHash = new Uint8Array(createHash("sha256").update(secret).digest())

/** Tokens by their api_key. */
const tokens: Readonly<Record<string, Partial<Token>>> = {
  todo: { callsPerMinute: 100_000 },
  lector: { id: TokenId.make(71), permissions: ["transactions.read"], callsPerMinute: 100_000 },
  lento: { id: TokenId.make(72), callsPerMinute: 2 },
  suspendido: { id: TokenId.make(73), state: "suspended" },
  otra_red: { id: TokenId.make(74), addresses: ["203.0.113.0/24"] },
  roto: {}
}

const services: ReadonlyArray<Service> = [
  service,
  { ...service, id: ServiceId.make(2), name: "Recarga Altice", description: "Ñandú" },
  {
    ...service,
    id: ServiceId.make(4),
    name: "Electricidad Edesur",
    type: "electricity_prepaid",
    category: "Electricidad",
    categoryId: 2,
    minimum: Centavos.make(10_000)
  },
  { ...service, id: ServiceId.make(3), name: "Paquetes", type: "data_package", flow: "paquetes", requiresLookup: true }
]

const directory = Layer.succeed(Directory, {
  lookup: (apiKey) => {
    if (apiKey === "roto") return Effect.die(new Error("select secret_hash from directory.token"))
    const known = tokens[apiKey]
    return Effect.succeed(
      known === undefined
        ? Option.none()
        : Option.some({ secretHash, session: { company, token: { ...token, apiKey, ...known } } })
    )
  }
})

/** What was written to the audit log, and where the service listens. */
export class Running extends Context.Service<
  Running,
  { readonly url: string; readonly port: number; readonly audited: ReadonlyArray<AuditEvent> }
>()("test/Running") {}

const audited: Array<AuditEvent> = []

const ports = Layer.mergeAll(
  Layer.fresh(Memory.layer),
  Layer.fresh(InFlight.layer),
  Layer.succeed(AuditLog, { record: (event) => Effect.sync(() => void audited.push(event)) }),
  Layer.succeed(Catalogue, { services: () => Effect.succeed(services) }),
  directory,
  ProvidersConfigured.layer,
  CallCounterMemory.layer
).pipe(Layer.provideMerge(Layer.mergeAll(DigestNode.layer, NodeCrypto.layerSecureRandom)))

const funded = Layer.effectDiscard(
  Effect.flatMap(DateTime.now, (at) =>
    Ledger.use((ledger) =>
      ledger.deposit({ companyId: company.id, amount: Amount.make(10_000_000), reference: "inicial", at })
    )
  )
)

const running = Layer.effect(
  Running,
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const port = "port" in address ? address.port : 0
    return { audited, port, url: `http://127.0.0.1:${port}` }
  })
)

/** The whole facade over ports in memory, listening on a free port behind a proxy that it trusts. */
export const TestService = Layer.mergeAll(running, Http.layer, funded).pipe(
  Layer.provide(
    NodeHttpServer.layerServer(() => answerClientErrors(createServer(serverOptions)), { port: 0, host: "127.0.0.1" })
  ),
  Layer.provide(ports),
  // A failure of ours is logged, and one test makes one.
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
  Layer.provide(
    Layer.succeed(HttpOptions, {
      trustProxy: true,
      publicUrl: null,
      limits: { perToken: 120, perAddress: 5 },
      environment: "production"
    })
  )
)
