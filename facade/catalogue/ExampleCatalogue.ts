import { Effect } from "effect"
import { catalogueOf } from "./CatalogueFile.ts"
import example from "./catalogue.example.json" with { type: "json" }

/** What a fresh installation sells, until the operator imports a catalogue of their own. */
export const exampleCatalogue = Effect.orDie(Effect.fromResult(catalogueOf(example)))
