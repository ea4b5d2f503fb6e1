/** Each command with its required flags, and the defaults of the others. */
export const taught: ReadonlyArray<
  readonly [command: string, required: ReadonlyArray<string>, defaults: Readonly<Record<string, string>>]
> = [
  ["serve", [], {}],
  ["migrate", [], {}],
  ["doctor", [], {}],
  ["operator invite", ["rol"], { correo: "none" }],
  ["operator accept", [], {}],
  ["operator list", [], {}],
  ["operator suspend", [], {}],
  ["operator resume", [], {}],
  ["operator role", ["rol"], {}],
  ["operator reinvite", [], {}],
  ["operator token", [], {}],
  ["login", [], {}],
  ["logout", [], {}],
  [
    "log",
    [],
    {
      operador: "any",
      accion: "any",
      empresa: "all companies",
      transaccion: "any",
      origen: "any",
      ip: "any",
      desde: "any",
      hasta: "any",
      "antes-de": "the newest events",
      "per-page": "50"
    }
  ],
  ["company create", ["razon-social", "codigo", "ambiente"], { rnc: "none", estado: "activa" }],
  [
    "company set",
    [],
    {
      "razon-social": "unchanged",
      rnc: "unchanged",
      estado: "unchanged",
      api: "unchanged",
      seguros: "unchanged",
      eventos: "unchanged",
      "limite-diario": "unchanged",
      "limite-semanal": "unchanged",
      "limite-mensual": "unchanged",
      "alerta-saldo-bajo": "unchanged"
    }
  ],
  ["company deposit", ["referencia"], {}],
  ["company list", [], { buscar: "none", estado: "any" }],
  ["company statement", [], { desde: "any", hasta: "any", page: "1", "per-page": "50" }],
  ["insurance list", [], { empresa: "all companies", estado: "any", page: "1", "per-page": "50" }],
  ["company show", [], {}],
  [
    "token issue",
    ["nombre"],
    { permisos: "all", ips: "any", expira: "never", "por-minuto": "the value of RATE_LIMIT_PER_MINUTE" }
  ],
  ["token rotate", [], { solape: "24h" }],
  ...["suspend", "activate", "revoke", "list"].map((name) => [`token ${name}`, [], {}] as const),
  ...["webhook list", "webhook show", "webhook disable", "case show"].map((command) => [command, [], {}] as const),
  ["catalog import", [], {}],
  ["catalog list", [], {}],
  ["catalog enable", [], {}],
  ["catalog disable", [], {}],
  [
    "transactions list",
    [],
    {
      buscar: "none",
      telefono: "none",
      xid: "none",
      clave: "none",
      identificador: "none",
      empresa: "all companies",
      desde: "any",
      hasta: "any",
      servicio: "any",
      tipo: "any",
      terminal: "any",
      estado: "any",
      status: "any",
      orden: "edad",
      suplidor: "any",
      page: "1",
      "per-page": "50"
    }
  ],
  ["transactions show", [], {}],
  ["transactions ask", [], {}],
  ["transactions resolve", ["as", "motivo"], { autorizacion: "none", token: "none", desde: "none", hasta: "none" }],
  ["transactions confirm", ["propuesta"], {}],
  ["sms list", [], { ultimos: "50" }],
  ["webhook replay", ["desde"], { hasta: "now" }],
  ["reconcile", [], { extracto: "none", proveedor: "none", desde: "none", hasta: "none", mapa: "none" }],
  ["case list", [], { proveedor: "any", tipo: "any", estado: "any", page: "1", "per-page": "50" }],
  ["case note", ["nota"], {}],
  ["case close", ["nota"], {}],
  ["audit", [], {}]
]
