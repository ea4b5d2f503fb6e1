// Starts the console on the API that served this page. It sends nothing to any other host.
const place = document.querySelector("#console")
const { apiKey, apiSecret, document: documentUrl } = place.dataset

const freshKey = () =>
  `consola-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`

// In Scalar, a user can edit the `example` of a parameter, but can only choose among its `examples`. The sandbox is shared,
// and other users have used the documented Idempotency-Key, so each operation gets a new key.
const prefilled = (openApi) => {
  const operations = Object.values(openApi.paths).flatMap((path) => Object.values(path))
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const [example] = parameter.schema.examples ?? []
    delete parameter.schema.examples
    parameter.example = parameter.name === "Idempotency-Key" ? freshKey() : example
  }
  return openApi
}

const sandbox = {
  preferredSecurityScheme: "Bearer",
  securitySchemes: {
    Bearer: { token: `${apiKey}.${apiSecret}` },
    ApiKey: { value: apiKey },
    ApiSecret: { value: apiSecret }
  }
}

const start = (openApi) =>
  globalThis.Scalar.createApiReference(place, {
    content: prefilled(openApi),
    servers: [{ url: location.origin }],
    ...(apiKey !== undefined && { authentication: sandbox }),
    localization: { locale: "es" },
    documentDownloadType: "json",
    defaultOpenAllTags: true,
    hideModels: true,
    hideClientButton: true,
    // Switches off every feature that calls another host or links to one.
    withDefaultFonts: false,
    showDeveloperTools: "never",
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true }
  })

const response = await fetch(documentUrl)
if (response.ok) start(await response.json())
else place.textContent = "El documento no está disponible en este momento. Espere un minuto y recargue la página."
