import type { Accounts } from "../../../core/ports/Accounts.ts"
import type { AuditEvents } from "../../../core/ports/AuditEvents.ts"
import type { Companies } from "../../../core/ports/Companies.ts"
import type { Events } from "../../../core/ports/Events.ts"
import type { Panoramas } from "../../../core/workflows/ReadPanorama.ts"
import type { Sessions } from "./Sessions.ts"

/** The ports that the console's procedures use. */
export type Services = Accounts | AuditEvents | Companies | Events | Panoramas | Sessions
