import type { AuditAction } from "../../../core/domain/AuditAction.ts"

/** The Spanish name of each action in the audit log. */
export const auditActions: Readonly<Record<AuditAction, string>> = {
  case_closed: "Caso cerrado",
  case_noted: "Nota en un caso",
  catalogue_imported: "Catálogo importado",
  company_changed: "Empresa cambiada",
  company_created: "Empresa creada",
  deposit_asked: "Depósito preguntado",
  deposit_recorded: "Depósito registrado",
  deposit_repeated: "Depósito repetido",
  foreign_company: "Acceso ajeno rechazado",
  funding_confirmed: "Depósito o ajuste confirmado",
  funding_proposed: "Depósito o ajuste propuesto",
  funding_rejected: "Depósito o ajuste rechazado",
  identity_linked: "Identidad vinculada",
  invitation_accepted: "Invitación aceptada",
  late_refusal: "Rechazo tardío",
  late_reversal: "Anulación tardía",
  late_reversal_refusal: "Rechazo tardío de anulación",
  late_success: "Éxito tardío",
  operator_changed: "Operador cambiado",
  operator_invited: "Operador invitado",
  operator_reinvited: "Operador invitado de nuevo",
  operator_token_issued: "Ficha de operador emitida",
  operator_token_removed: "Ficha de operador retirada",
  provider_asked: "Pregunta al proveedor",
  resolution_agreed: "Propuesta aprobada",
  resolution_confirmed: "Propuesta confirmada",
  resolution_proposed: "Propuesta hecha",
  service_enabled: "Servicio permitido a una empresa",
  service_restored: "Servicio ofrecido de nuevo",
  service_withdrawn: "Servicio retirado",
  service_withheld: "Servicio negado a una empresa",
  sign_in_refused: "Entrada rechazada",
  signed_in: "Entrada",
  signed_out: "Salida",
  statement_compared: "Estado de cuenta del proveedor comparado",
  token_active: "Token activado",
  token_issued: "Token emitido",
  token_revoked: "Token revocado",
  token_rotated: "Token rotado",
  token_suspended: "Token suspendido",
  webhook_disabled: "Webhook desactivado",
  webhook_replayed: "Eventos reenviados"
}

/** The name of an action. Later versions may record actions that this version does not know. */
export const actionName = (action: string): string =>
  Object.hasOwn(auditActions, action) ? auditActions[action as AuditAction] : action
