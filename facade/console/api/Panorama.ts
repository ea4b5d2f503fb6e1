import { Effect, Schema } from "effect"
import { Environment } from "../../../core/domain/Company.ts"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { Panoramas } from "../../../core/workflows/ReadPanorama.ts"
import { input } from "../../api/Input.ts"
import { panoramaView } from "../../api/PanoramaView.ts"
import { read } from "./Procedure.ts"

export const panorama = {
  /** Without `ambiente`, shows production, or development if no company is in production. */
  ver: read({
    gate: "read",
    input: input({ ambiente: Schema.optionalKey(Environment) }),
    handle: ({ input: { ambiente } }) =>
      Panoramas.use((panoramas) => Effect.map(panoramas.read(ambiente), (found) => panoramaView(found, formatOffset)))
  })
}
