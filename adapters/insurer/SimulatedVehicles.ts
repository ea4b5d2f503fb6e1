import type { Vehicle, VehicleType, Version } from "../../core/domain/InsuranceOffer.ts"
import type { Plate } from "../../core/domain/Person.ts"

/** A vehicle model and the ids of its versions. The first version is the most common. */
interface Model {
  readonly brand: string
  readonly model: string
  readonly versions: readonly [string, ...ReadonlyArray<string>]
}

// The ids contain characters that URLs must escape (space, plus, ampersand), because real ids do too.
const models: Readonly<Record<VehicleType, readonly [Model, ...ReadonlyArray<Model>]>> = {
  automovil: [
    { brand: "Toyota", model: "Corolla", versions: ["LE 1.8", "XSE 2.0", "L 1.8"] },
    { brand: "Honda", model: "Civic", versions: ["EX 1.5 T", "LX 2.0"] },
    { brand: "Hyundai", model: "Accent", versions: ["GLS+ 1.6", "GL 1.6"] },
    { brand: "Kia", model: "Picanto", versions: ["LX 1.0", "EX 1.2"] }
  ],
  jeepeta: [
    { brand: "Honda", model: "CR-V", versions: ["EX 2.4 4x2", "EX-L 2.4 4x4", "LX 2.4"] },
    { brand: "Hyundai", model: "Tucson", versions: ["GLS 2.0", "Limited 2.0 & Techo"] },
    { brand: "Toyota", model: "RAV4", versions: ["XLE 2.5", "LE 2.5"] }
  ],
  camioneta: [
    { brand: "Toyota", model: "Hilux", versions: ["SR 2.8 D/C", "DX 2.4 C/S"] },
    { brand: "Nissan", model: "Frontier", versions: ["LE 2.5 4x4", "S 2.5 4x2", "XE 2.5"] }
  ],
  motocicleta: [
    { brand: "Honda", model: "C 50", versions: ["49 cc", "Súper Cub 49 cc"] },
    { brand: "Suzuki", model: "AX100", versions: ["100 cc", "100 cc Sport+"] }
  ]
}

/** The vehicle type by the first letter of the plate: K motorcycle, G SUV (jeepeta), L pick-up. */
const typeOf = (plate: Plate): VehicleType => {
  switch (plate[0]) {
    case "K":
      return "motocicleta"
    case "G":
      return "jeepeta"
    case "L":
      return "camioneta"
    default:
      return "automovil"
  }
}

const year_min = 2008
const years = 17

/** The digits that choose an example: all but the last digit, which selects the scenario. */
const seedOf = (plate: Plate): number => Number(plate.slice(1, -1))

const pick = <A>([first, ...others]: readonly [A, ...ReadonlyArray<A>], seed: number): A =>
  [first, ...others][seed % (1 + others.length)] ?? first

const modelOf = (plate: Plate): Model => pick(models[typeOf(plate)], seedOf(plate))

/** The fictitious owner of every simulated vehicle. */
export const simulatedHolder = "Titular de Prueba"

/** The vehicle of a plate. The same plate always has the same vehicle. */
export const simulatedVehicle = (plate: Plate): Vehicle => {
  const { brand, model } = modelOf(plate)
  return {
    brand,
    model,
    year: year_min + (seedOf(plate) % years),
    type: typeOf(plate),
    chassis: `9SBX${plate[0]}${plate.slice(1).padStart(12, "0")}`
  }
}

/** The versions of the plate's model. Only one if the plate ends in 6; none marked as suggested if it ends in 7. */
export const simulatedVersions = (plate: Plate): ReadonlyArray<Version> => {
  const { model, versions } = modelOf(plate)
  const sold = plate.endsWith("6") ? versions.slice(0, 1) : versions
  return sold.map((id, index) => ({
    id,
    name: `${model} ${id}`,
    suggested: index === 0 && !plate.endsWith("7")
  }))
}
