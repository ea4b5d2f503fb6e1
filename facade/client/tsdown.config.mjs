import { compile } from "json-schema-to-typescript"
import { wireSchema } from "./wireSchema.ts"

const options = { bannerComment: "", additionalProperties: false, format: false }

/** Replaces Wire.ts by plain types, so that the package's types need neither the server nor effect. */
const plainWire = {
  name: "plain-wire",
  load: (id) => (id.endsWith("/Wire.ts") ? compile(wireSchema, "Wire", options) : null)
}

export default {
  entry: ["index.ts", "webhooks.ts"],
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  copy: "../../LICENSE",
  // Makes each declaration file from its source file alone, so that no inferred type can come from the server.
  dts: { generator: "oxc" },
  // Uses `inputOptions`, because the build of the CommonJS declarations ignores `plugins`.
  inputOptions: (given) => ({ ...given, plugins: [plainWire, given.plugins] })
}
