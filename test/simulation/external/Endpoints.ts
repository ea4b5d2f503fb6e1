import { Effect, Result } from "effect"
import { type Attempt, errorOfStatus, type NoResponse, WebhookUrl } from "../../../core/domain/Webhook.ts"
import type { WebhookRequest, WebhookSender } from "../../../core/ports/WebhookSender.ts"
import type { EndpointRecords } from "../engine/EndpointRecords.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import { callOutside, type OutsideCall } from "../engine/OutsideCall.ts"
import { addTraceLine, type Simulation } from "../engine/Simulation.ts"
import { replyAfter } from "./ExternalService.ts"

const second_ms = 1_000

/** The time after which an attempt without a response ends. Contract: 6.3. */
const timeout_ms = 15 * second_ms

const responseOf = (httpStatus: number, duration_ms: number, retryAfter_s: number | null = null): Attempt => ({
  httpStatus,
  error: errorOfStatus(httpStatus),
  retryAfter_s,
  duration_ms
})

const withoutResponse = (error: NoResponse, duration_ms: number): Attempt => ({
  httpStatus: null,
  error,
  retryAfter_s: null,
  duration_ms
})

const errorStatuses = [301, 404, 429, 500, 503] as const

const retryAfter_max_s = 600

/** Sends an event once. The fault of the call decides whether it arrives, and which response returns. */
const sendOnce = (
  sim: Simulation,
  call: OutsideCall,
  records: EndpointRecords,
  { id, url }: WebhookRequest
): Effect.Effect<Attempt> =>
  Effect.callback<Attempt>((resume) => {
    const { chance, fault } = call
    const event = records.of(url, id)
    event.sent++
    const there_ms = chance.between(5, 60)
    const work_ms = there_ms + chance.between(5, 900)
    const reply = replyAfter<Attempt>(sim, call, resume)
    const end = (attempt: Attempt) => reply(Effect.succeed(attempt), attempt.duration_ms)
    const arrive = () =>
      sim.eventLoop.after(there_ms, null, () => {
        event.accepted++
        addTraceLine(sim, "outside", `${url} accepts ${id}`)
      })
    const respond = () => {
      const status = records.respond(url)
      if (status === null) return end(withoutResponse("timeout", timeout_ms))
      if (status === 204) {
        arrive()
        event.confirmed++
      }
      return end(responseOf(status, work_ms))
    }
    switch (fault) {
      case "timeout":
        arrive()
        return end(withoutResponse("timeout", timeout_ms))
      case "lost response":
        arrive()
        return end(withoutResponse("conexion_cortada", work_ms))
      case "unreadable response":
        arrive()
        return end(withoutResponse("respuesta_invalida", work_ms))
      case "lost order":
        return end(withoutResponse("conexion_rechazada", there_ms))
      case "error status":
        return end(responseOf(chance.pick(errorStatuses), work_ms, chance.between(0, retryAfter_max_s)))
      default:
        return respond()
    }
  })

/**
 * Sends events to endpoints, as one process does.
 *
 * @param sending receives each request before it is sent.
 */
export const senderFor = (
  sim: Simulation,
  incarnation: Incarnation,
  records: EndpointRecords,
  sending: (request: WebhookRequest) => void
): WebhookSender["Service"] => ({
  readUrl: (text) => Result.succeed(WebhookUrl.make(text)),
  send: (request) =>
    Effect.suspend(() => {
      sending(request)
      return callOutside(sim, incarnation, "send", `${request.id} to ${request.url}`, (call) =>
        sendOnce(sim, call, records, request)
      )
    })
})
