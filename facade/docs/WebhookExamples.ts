const call = (method: string, path: string, fields?: object): string =>
  [
    `curl -s -X ${method} "$SALDO${path}"`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(fields === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(fields)}'`])
  ].join(" \\\n  ")

/** The calls that the page about webhooks shows, as shell commands. */
export const webhookCalls = (publicUrl: string | null) => ({
  create: [
    `SALDO=${publicUrl ?? "http://127.0.0.1:3000"}`,
    "TOKEN='<api_key>.<api_secret>'",
    call("POST", "/v1/webhooks", {
      url: "https://tienda.example.com/saldo",
      eventos: ["transaction.succeeded", "transaction.failed"],
      descripcion: "Tienda en línea"
    })
  ].join("\n"),
  test: call("POST", "/v1/webhooks/1/probar"),
  deliveries: call("GET", "/v1/webhooks/1/entregas?estado=fallida"),
  rotate: call("POST", "/v1/webhooks/1/secreto", { solape_horas: 24 }),
  pause: call("PATCH", "/v1/webhooks/1", { estado: "pausado" }),
  resume: call("PATCH", "/v1/webhooks/1", { estado: "activo" }),
  replayOne: call("POST", "/v1/webhooks/1/reenviar", { evento_id: "evt_1_17" }),
  replaySpan: call("POST", "/v1/webhooks/1/reenviar", {
    desde: "2026-01-31T14:00:00-04:00",
    hasta: "2026-01-31T16:00:00-04:00",
    solo_fallidas: true
  }),
  pull: call("GET", "/v1/eventos?despues_de=17&limite=100&esperar=25"),
  local: ["WEBHOOK_ALLOW_LOCAL=on npm start", call("POST", "/v1/webhooks", { url: "http://127.0.0.1:8080/" })]
})
