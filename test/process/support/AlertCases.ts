/**
 * Test input for one alert: series in Prometheus's notation with one sample per minute, and two times. The alert does not fire
 * yet at the time `quiet`, and fires at the time `fires`.
 */
export interface AlertCase {
  readonly alert: string
  readonly series: Record<string, string>
  readonly quiet: string
  readonly fires: string
  readonly severity: "page" | "ticket"
  readonly labels?: Record<string, string>
  readonly summary: string
}

const production = '{ambiente="production"}'
export const alertCases: ReadonlyArray<AlertCase> = [
  {
    alert: "SaldoInvariantBroken",
    series: {
      'saldo_invariant_violations{invariant="held"}': "0x5 1x5",
      'saldo_invariant_violations{invariant="owned"}': "0x10"
    },
    quiet: "5m",
    fires: "6m",
    severity: "page",
    labels: { invariant: "held" },
    summary: "The books are inconsistent: invariant held is broken"
  },
  {
    alert: "SaldoLateOutcome",
    series: {
      'saldo_late_outcomes{kind="late_success"}': "0x5 1x5",
      'saldo_late_outcomes{kind="late_refusal"}': "0x10"
    },
    quiet: "5m",
    fires: "6m",
    severity: "page",
    labels: { kind: "late_success" },
    summary: "A provider contradicts a settled sale: late_success"
  },
  {
    // The sandbox has sales that never resolve. They must not raise the alert.
    alert: "SaldoSalePendingTooLong",
    series: {
      [`saldo_pending_oldest_seconds${production}`]: "0+60x30",
      'saldo_pending_oldest_seconds{ambiente="development"}': "86400x30"
    },
    quiet: "17m",
    fires: "18m",
    severity: "page",
    summary: "A sale has been unresolved for 18m 0s"
  },
  {
    alert: "SaldoReversalPendingTooLong",
    series: {
      [`saldo_pending_reversal_oldest_seconds${production}`]: "0+60x30",
      'saldo_pending_reversal_oldest_seconds{ambiente="development"}': "86400x30"
    },
    quiet: "17m",
    fires: "18m",
    severity: "page",
    summary: "A reversal has been unresolved for 18m 0s"
  },
  {
    // Two servers: one runs recovery until the fifth minute, the other never runs it.
    alert: "SaldoRecoveryStalled",
    series: {
      'saldo_recovery_last_cycle_timestamp_seconds{instance="1"}': "0+60x5 300x10",
      'saldo_recovery_last_cycle_timestamp_seconds{instance="2"}': "0x15"
    },
    quiet: "8m",
    fires: "9m",
    severity: "page",
    summary: "No process recovers unresolved sales"
  },
  {
    alert: "SaldoAuditOverdue",
    // One process audits every 15 minutes, the other once a day.
    series: {
      'saldo_audit_last_timestamp_seconds{instance="a"}': "0x400",
      'saldo_audit_last_timestamp_seconds{instance="b"}': "0x400",
      'saldo_audit_interval_seconds{instance="a"}': "900x400",
      'saldo_audit_interval_seconds{instance="b"}': "86400x400"
    },
    quiet: "6h25m",
    fires: "6h26m",
    severity: "ticket",
    summary: "No audit has finished for AUDIT_EVERY plus six hours"
  },
  {
    // Time 0 is the start of the unclosed day. The day ends after 24 hours.
    alert: "SaldoDayNotClosed",
    series: { saldo_closed_until_timestamp_seconds: "0x1620" },
    quiet: "26h10m",
    fires: "26h12m",
    severity: "ticket",
    summary: "A day that ended more than two hours ago is not closed"
  },
  {
    alert: "SaldoCompanyBalanceLow",
    series: { [`saldo_companies_low_balance${production}`]: "0 3x20" },
    quiet: "10m",
    fires: "11m",
    severity: "ticket",
    summary: "3 companies have an available amount below their alert value"
  },
  {
    // 10 % of the calls to the insurer fail, and 25 % of the calls to the provider.
    alert: "SaldoPartyNotAnswering",
    series: {
      'saldo_party_calls_total{party="provider", outcome="2xx"}': "0+45x20",
      'saldo_party_calls_total{party="provider", outcome="no_answer"}': "0+10x20",
      'saldo_party_calls_total{party="provider", outcome="5xx"}': "0+5x20",
      'saldo_party_calls_total{party="insurer", outcome="2xx"}': "0+90x20",
      'saldo_party_calls_total{party="insurer", outcome="not_made"}': "0+10x20"
    },
    quiet: "5m",
    fires: "6m",
    severity: "page",
    labels: { party: "provider" },
    summary: "25% of the calls to provider fail"
  },
  {
    alert: "SaldoSalesUnavailable",
    series: {
      'saldo_refusals_total{code="SERVICE_UNAVAILABLE"}': "0x5 1+1x30",
      'saldo_refusals_total{code="SEGUROS_NO_DISPONIBLE"}': "0x5 1+1x30",
      'saldo_refusals_total{code="INSUFFICIENT_BALANCE"}': "0+100x30"
    },
    quiet: "15m",
    fires: "17m",
    severity: "page",
    summary: "20 calls in ten minutes were refused because an external service is unavailable"
  },
  {
    alert: "SaldoSmsUndelivered",
    series: { [`saldo_sms_undelivered${production}`]: "5x5 6x20" },
    quiet: "15m",
    fires: "16m",
    severity: "ticket",
    summary: "6 SMS were not delivered in the last 24 hours"
  },
  {
    // The simulator's balance raises no alert, because it is not money. If one server cannot read a balance,
    // the reading of another server still counts.
    alert: "SaldoFloatLow",
    series: {
      'saldo_provider_float_low{proveedor="dtone", instance="1"}': "0x5 1x20",
      'saldo_provider_float_low{proveedor="dtone", instance="2"}': "NaN ".repeat(25).trim(),
      'saldo_provider_float_low{proveedor="simulador", instance="1"}': "1x25"
    },
    quiet: "10m",
    fires: "11m",
    severity: "page",
    labels: { proveedor: "dtone" },
    summary: "The balance with the provider dtone is below FLOAT_ALERT"
  },
  {
    alert: "SaldoFloatUnknown",
    series: {
      'saldo_provider_float_last_timestamp_seconds{proveedor="http", instance="1"}': "0x100",
      'saldo_provider_float_last_timestamp_seconds{proveedor="http", instance="2"}': "60x100"
    },
    quiet: "66m",
    fires: "67m",
    severity: "ticket",
    labels: { proveedor: "http" },
    summary: "The provider http has not stated its balance for 1h 6m 0s"
  },
  {
    // A webhook that fails may leave its queue waiting for an hour.
    alert: "SaldoDeliveriesLate",
    series: {
      'saldo_webhook_due_oldest_seconds{ambiente="production", receiver="ok"}': "0+60x30",
      'saldo_webhook_due_oldest_seconds{ambiente="production", receiver="failing"}': "3600x30",
      'saldo_webhook_due_oldest_seconds{ambiente="development", receiver="ok"}': "86400x30"
    },
    quiet: "10m",
    fires: "11m",
    severity: "ticket",
    summary: "A delivery to a webhook has been due for 11m 0s"
  },
  {
    // Three webhooks were disabled before, and a fourth is disabled in the eleventh minute.
    alert: "SaldoWebhookDisabled",
    series: {
      [`saldo_webhooks_disabled${production}`]: "3x10 4x20",
      'saldo_webhooks_disabled{ambiente="development"}': "0x10 7x20"
    },
    quiet: "10m",
    fires: "11m",
    severity: "ticket",
    summary: "A webhook was disabled in the last 24 hours. 4 webhooks are disabled"
  },
  {
    alert: "SaldoNotWatched",
    series: { saldo_database_up: "1x5 stale" },
    quiet: "7m",
    fires: "8m",
    severity: "page",
    summary: "Prometheus receives no metrics from any process"
  },
  {
    alert: "SaldoServerDown",
    series: {
      'up{job="saldo", instance="saldo-1:9464"}': "1x5 0x10",
      'up{job="saldo", instance="saldo-2:9464"}': "1x15"
    },
    quiet: "7m",
    fires: "8m",
    severity: "page",
    labels: { job: "saldo", instance: "saldo-1:9464" },
    summary: "Prometheus receives no metrics from saldo-1:9464"
  },
  {
    alert: "SaldoDatabaseDown",
    series: { 'saldo_database_up{instance="1"}': "1x5 0x10", 'saldo_database_up{instance="2"}': "1x15" },
    quiet: "6m",
    fires: "7m",
    severity: "page",
    summary: "A process cannot read the database"
  },
  {
    alert: "SaldoCellDown",
    series: {
      'saldo_cell_up{instance="1", cell="cell"}': "1x15",
      'saldo_cell_up{instance="1", cell="norte"}': "1x5 0x10",
      'saldo_cell_up{instance="2", cell="norte"}': "1x15"
    },
    quiet: "6m",
    fires: "7m",
    severity: "page",
    labels: { cell: "norte" },
    summary: "The cell norte does not answer"
  },
  {
    alert: "SaldoWritesFailing",
    series: {
      'saldo_writes_failing_timestamp_seconds{instance="1", cell="cell"}': "0x5 360+60x10",
      'saldo_writes_failing_timestamp_seconds{instance="2", cell="cell"}': "0x15"
    },
    quiet: "6m",
    fires: "7m",
    severity: "page",
    labels: { cell: "cell" },
    summary: "The cell cell cannot store sales"
  },
  {
    alert: "SaldoArchiveFailing",
    series: { saldo_archive_failing: "0x5 1x20" },
    quiet: "15m",
    fires: "16m",
    severity: "page",
    summary: "Postgres cannot archive its write-ahead log"
  },
  {
    // 501 is a caller's mistake, and an unavailable external service (503) has its own alert.
    alert: "SaldoServerErrors",
    series: {
      'saldo_http_request_seconds_count{status="201"}': "0+820x20",
      'saldo_http_request_seconds_count{status="500"}': "0+30x20",
      'saldo_http_request_seconds_count{status="501"}': "0+50x20",
      'saldo_http_request_seconds_count{status="503"}': "0+100x20"
    },
    quiet: "5m",
    fires: "6m",
    severity: "page",
    summary: "3% of the calls end in an internal error"
  },
  {
    // 2 % of the sales take between 25 and 30 seconds.
    alert: "SaldoSalesSlow",
    series: {
      'saldo_http_request_seconds_bucket{method="POST", path="/trpc/recargas.crear", le="1"}': "0+98x30",
      'saldo_http_request_seconds_bucket{method="POST", path="/trpc/recargas.crear", le="25"}': "0+98x30",
      'saldo_http_request_seconds_bucket{method="POST", path="/trpc/recargas.crear", le="30"}': "0+100x30",
      'saldo_http_request_seconds_bucket{method="POST", path="/trpc/recargas.crear", le="+Inf"}': "0+100x30"
    },
    quiet: "10m",
    fires: "11m",
    severity: "ticket",
    summary: "One sale in a hundred takes longer than 25 seconds"
  },
  {
    alert: "SaldoConnectionsHeld",
    series: {
      'saldo_pool_connections{state="idle in transaction"}': "0x5 6x10",
      'saldo_pool_connections{state="idle"}': "20x15"
    },
    quiet: "10m",
    fires: "11m",
    severity: "ticket",
    summary: "Database connections keep transactions open without working"
  }
]
