import { DateTime, Effect, Result, Schema } from "effect"
import { Invalid } from "../../../core/domain/Errors.ts"
import { disableWebhook, listWebhooks, replayWebhook, showWebhook } from "../../../core/workflows/OperateWebhooks.ts"
import { deliveryView } from "../../api/Entregas.ts"
import { pageOf, paging } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { pagesOf } from "../../api/Output.ts"
import { webhookView } from "../../api/Webhooks.ts"
import { empresaId, instant, webhookId } from "./Fields.ts"
import { change, read } from "./Procedure.ts"
import { iso } from "./SaleView.ts"

const spanInput = input({
  webhook_id: webhookId,
  desde: instant,
  /** The end of the time span. The present by default. */
  hasta: Schema.optionalKey(instant),
  solo_fallidas: Schema.optionalKey(Schema.Boolean)
})

const spanOf = ({
  desde: since,
  hasta,
  solo_fallidas: onlyFailed = false
}: Result.Result.Success<ReturnType<typeof spanInput.read>>) => {
  const until = hasta ?? null
  return until !== null && DateTime.isLessThan(until, since)
    ? Result.fail(new Invalid({ details: { hasta: "fuera_de_rango" } }))
    : Result.succeed({ since, until, onlyFailed })
}

export const webhooks = {
  /** The webhooks of all companies. Those that have failed for the longest time come first. */
  listar: read({
    gate: "read",
    input: input({
      empresa_id: Schema.optionalKey(empresaId),
      /** `fallando` selects webhooks with failing deliveries, in any state. */
      estado: Schema.optionalKey(Schema.Literals(["activo", "pausado", "desactivado", "fallando"])),
      page: paging.page,
      per_page: paging.per_page
    }),
    handle: Effect.fnUntraced(function* ({ input: { empresa_id: companyId, estado, ...wanted } }) {
      const page = pageOf(wanted)
      const filter = estado === "fallando" ? { companyId, failing: true } : { companyId, state: estado }
      const { items, total } = yield* listWebhooks(filter, page)
      return {
        items: items.map(({ dueSince, webhook }) => ({
          ...webhookView(webhook),
          empresa_id: webhook.companyId as number,
          espera_desde: iso(dueSince)
        })),
        pagination: pagesOf(page, total)
      }
    })
  }),
  ver: read({
    gate: "read",
    input: input({ webhook_id: webhookId }),
    handle: ({ input: { webhook_id } }) =>
      Effect.map(showWebhook(webhook_id), ({ report: { counts, dueSince, errors }, webhook }) => ({
        ...webhookView(webhook),
        empresa_id: webhook.companyId as number,
        espera_desde: iso(dueSince),
        entregas: counts,
        ultimos_errores: errors.map(deliveryView)
      }))
  }),
  /** Disables a webhook. Only its company can activate it again. */
  desactivar: change({
    gate: "webhook",
    input: input({ webhook_id: webhookId }),
    handle: ({ input: { webhook_id } }) => Effect.map(disableWebhook(webhook_id), ({ state }) => ({ estado: state }))
  }),
  /** Sends the events of a time span again. */
  reenviar: change({
    gate: "webhook",
    input: spanInput,
    handle: Effect.fnUntraced(function* ({ input }) {
      const span = yield* Effect.fromResult(spanOf(input))
      const { events, webhook } = yield* replayWebhook(input.webhook_id, span)
      return { eventos: events, estado: webhook.state }
    })
  })
}
