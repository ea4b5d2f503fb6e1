import { Effect, Layer } from "effect"
import { Availability, type Service } from "../../../core/domain/Service.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { packages } from "./Examples.ts"

/** A catalogue of what is on a shelf when it is asked; whatever that is, every company may sell it. */
export const shelfOf = (services: ReadonlyArray<Service>) =>
  Layer.succeed(Catalogue, {
    services: () => Effect.sync(() => [...services]),
    find: (_, serviceId) =>
      Effect.sync(() => {
        const service = services.find(({ id }) => id === serviceId)
        return service === undefined ? Availability.Unknown() : Availability.Available({ service })
      }),
    packages: (serviceId) => Effect.succeed(packages.filter((each) => each.serviceId === serviceId))
  })
