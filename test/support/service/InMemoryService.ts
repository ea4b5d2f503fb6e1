import { createHash } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { DateTime, Effect, Layer, Option, Redacted, References } from "effect"
import * as CallCounterMemory from "../../../adapters/CallCounterMemory.ts"
import * as ConfiguredServices from "../../../adapters/ConfiguredServices.ts"
import * as PepperNode from "../../../adapters/crypto/PepperNode.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as PolicyPdf from "../../../adapters/pdf/PolicyPdf.ts"
import * as ReceiptPdf from "../../../adapters/pdf/ReceiptPdf.ts"
import * as TablePdf from "../../../adapters/pdf/TablePdf.ts"
import * as WebhookSenderUndici from "../../../adapters/webhook/WebhookSenderUndici.ts"
import type { Company } from "../../../core/domain/Company.ts"
import { CompanyId, ServiceId, TokenId } from "../../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import type { Service } from "../../../core/domain/Service.ts"
import type { Token } from "../../../core/domain/Token.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { TokenDirectory } from "../../../core/ports/TokenDirectory.ts"
import { InFlight } from "../../../core/workflows/InFlight.ts"
import { HttpOptions } from "../../../facade/api/Call.ts"
import { makeServer } from "../../../facade/http/ClientErrors.ts"
import * as Http from "../../../facade/http/Http.ts"
import { billService, company, insuranceService, packageService, service, token } from "../Examples.ts"
import { catalogueOf } from "../InMemoryWorld.ts"
import { ManualClock, ServiceAddress } from "../InProcessService.ts"

export const secret = "s3creto"
const secrets = [{ hash: new Uint8Array(createHash("sha256").update(secret).digest()), pepper: null, until: null }]

/** Test tokens by api_key. */
const tokens: Readonly<Record<string, Partial<Token>>> = {
  todo: { callsPerMinute: 100_000 },
  lector: { id: TokenId.make(71), permissions: ["transactions.read"], callsPerMinute: 100_000 },
  lento: { id: TokenId.make(72), callsPerMinute: 2 },
  vecino: { id: TokenId.make(75), callsPerMinute: 100_000 },
  produccion: { id: TokenId.make(76), callsPerMinute: 100_000, realLookups: true },
  roto: {}
}

/** The company of each token that does not belong to the default company. */
const companies: Readonly<Record<string, Company>> = {
  vecino: { ...company, id: CompanyId.make(8) },
  produccion: { ...company, id: CompanyId.make(9), environment: "production" }
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
  packageService,
  billService,
  insuranceService
]

const directory = Layer.succeed(TokenDirectory, {
  used: () => Effect.void,
  lookup: (apiKey) => {
    if (apiKey === "roto") return Effect.die(new Error("select secret_hash from directory.token"))
    const known = tokens[apiKey]
    return Effect.succeed(
      known === undefined
        ? Option.none()
        : Option.some({
            secrets,
            session: { company: companies[apiKey] ?? company, token: { ...token, apiKey, ...known }, isClosed: false }
          })
    )
  }
})

const auditing = Layer.succeed(AuditLog, { record: () => Effect.void })

const ports = Layer.mergeAll(
  Layer.fresh(Memory.layer),
  Layer.fresh(InFlight.layer),
  catalogueOf(services),
  directory,
  ConfiguredServices.providersLayer(null),
  ConfiguredServices.insurersLayer(null),
  ConfiguredServices.smsGatewaysLayer(null),
  ReceiptPdf.layer,
  PolicyPdf.layer,
  TablePdf.layer,
  CallCounterMemory.layer,
  WebhookSenderUndici.layer({ local: false })
).pipe(Layer.provideMerge(Layer.mergeAll(Sha256Node.layer, NodeCrypto.layerSecureRandom, PepperNode.layer(null))))

const funded = Layer.effectDiscard(
  Effect.flatMap(DateTime.now, (at) =>
    Effect.forEach([company, ...Object.values(companies)], ({ id }) =>
      Ledger.use((ledger) =>
        ledger.deposit({ companyId: id, amount: Amount.make(10_000_000), reference: "inicial", at })
      )
    )
  )
)

/**
 * The whole facade with in-memory ports. `changed` replaces some of the ports. The facade listens on a free port behind
 * a trusted proxy.
 *
 * The clock does not advance, so that no minute of a call limit ends between two calls.
 */
export const serviceWith = (changed: Layer.Layer<never>) =>
  Layer.mergeAll(ServiceAddress.layer, Http.layer, funded).pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.map(makeServer, (make) =>
          NodeHttpServer.layerServer(() => make({ connections_max: 100 }), { port: 0, host: "127.0.0.1" })
        )
      )
    ),
    Layer.provide(Layer.merge(ports, changed)),
    Layer.provideMerge(auditing),
    // One test causes an internal error on purpose, and its log line should not appear in the output.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.provide(
      Layer.succeed(HttpOptions, {
        trustProxy: true,
        publicUrl: null,
        supportEmail: "soporte@saldo.test",
        limits: { perToken: 120, perAddress: 5 },
        environment: "production",
        sandbox: { apiKey: "todo", secret: Redacted.make(secret) }
      })
    ),
    Layer.provide(ManualClock.layer)
  )

export const TestService = serviceWith(Layer.empty)
