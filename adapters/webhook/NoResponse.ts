import { errors as undiciErrors } from "@effect/platform-node/Undici"
import { Predicate } from "effect"
import type { NoResponse } from "../../core/domain/Webhook.ts"
import { certificateCodes } from "../http/Exchange.ts"
import { AddressRefused } from "./NameLookup.ts"

const words: Readonly<Record<string, NoResponse>> = {
  ECONNREFUSED: "conexion_rechazada",
  EHOSTUNREACH: "conexion_rechazada",
  ENETUNREACH: "conexion_rechazada",
  EADDRNOTAVAIL: "conexion_rechazada",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "respuesta_invalida",
  EPROTO: "tls"
}

const tlsCode = /^ERR_(TLS|SSL)_/
const dnsCall = /^query/

/** Converts an error that undici, a socket or a name lookup raised. An unknown error means that the connection broke. */
export const noResponseOf = (cause: unknown): NoResponse => {
  if (cause instanceof AddressRefused) return "direccion_no_permitida"
  if (cause instanceof undiciErrors.HTTPParserError) return "respuesta_invalida"
  if (!Predicate.isObject(cause)) return "conexion_cortada"
  const { code = "", errors, syscall = "" } = cause as Record<string, unknown>
  // The list has one error for each address of the hostname. The first error decides.
  if (Array.isArray(errors) && errors.length > 0) return noResponseOf(errors[0])
  if (dnsCall.test(String(syscall))) return "dns"
  if (certificateCodes.has(code) || tlsCode.test(String(code))) return "tls"
  return words[String(code)] ?? "conexion_cortada"
}
