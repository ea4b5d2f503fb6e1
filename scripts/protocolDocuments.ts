import { writeFileSync } from "node:fs"
import { OpenApi } from "effect/http-api"
import { insurerProtocol } from "../adapters/insurer/InsurerProtocol.ts"
import { providerProtocol } from "../adapters/provider/ProviderProtocol.ts"
import { smsProtocol } from "../adapters/sms/HttpSms.ts"

// Generates the OpenAPI documents of Saldo's own protocols from the schemas that the adapters use.
const documents = {
  http: OpenApi.fromApi(providerProtocol),
  insurer: OpenApi.fromApi(insurerProtocol),
  sms: OpenApi.fromApi(smsProtocol)
}

for (const [name, document] of Object.entries(documents)) {
  const file = new URL(`../docs/providers/${name}.openapi.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
}
