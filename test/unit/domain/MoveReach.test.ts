import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { lostPlace, type MoveEnd, type Reach } from "../../../core/domain/MoveReach.ts"

const up = null
const givenUp: Partial<MoveEnd> = { isGivenUp: true }
const flagged: Partial<MoveEnd> = { isSourceLost: true }

/**
 * An operator ends a move of a company between the servers of two cells, the source and the target. Each case has: the
 * place that the directory names, the faults of source and target, the operator's options, and the result. The result is
 * the place that is lost, null if no place is lost, or the refusal.
 */
const cases: ReadonlyArray<
  readonly [
    place: MoveEnd["place"],
    source: Reach["fault"],
    target: Reach["fault"],
    asked: Partial<MoveEnd>,
    result: unknown
  ]
> = [
  ["source", up, up, {}, null],
  ["source", up, up, givenUp, null],
  ["source", up, up, flagged, "source_answers at cell"],
  ["source", up, up, { ...givenUp, ...flagged }, "source_answers at cell"],
  ["source", up, "node_down", {}, "target_down at sur"],
  ["source", up, "node_down", givenUp, { side: "target", node: "sur" }],
  ["source", up, "node_down", flagged, "source_answers at cell"],
  ["source", up, "node_down", { ...givenUp, ...flagged }, "source_answers at cell"],
  ["source", up, "refused", givenUp, "refused at sur"],
  ["source", up, "unknown_node", givenUp, "unknown_node at sur"],
  ["source", up, "login", givenUp, "login at sur"],
  ["source", "node_down", up, {}, "place_down at cell"],
  ["source", "node_down", up, givenUp, "place_down at cell"],
  ["source", "node_down", up, flagged, "place_down at cell"],
  ["source", "node_down", "node_down", givenUp, "place_down at cell"],
  ["source", "login", "node_down", givenUp, "login at cell"],
  ["target", up, up, {}, null],
  ["target", up, up, flagged, "source_answers at cell"],
  ["target", "node_down", up, {}, "source_down at cell"],
  ["target", "node_down", up, flagged, { side: "source", node: "cell" }],
  ["target", "refused", up, flagged, "refused at cell"],
  ["target", "unknown_node", up, flagged, "unknown_node at cell"],
  ["target", "login", up, flagged, "login at cell"],
  ["target", up, "node_down", {}, "place_down at sur"],
  ["target", up, "node_down", flagged, "place_down at sur"],
  ["target", "node_down", "node_down", flagged, "place_down at sur"]
]

describe("a move that has begun", () => {
  it.each(cases)(
    "with the place %s, the fault %s of the source, the fault %s of the target and the options %o has the result %o",
    (place, source, target, asked, result) => {
      const reach = { source: { node: "cell", fault: source }, target: { node: "sur", fault: target } }
      const ended = lostPlace(reach, { place, isGivenUp: false, isSourceLost: false, ...asked })
      const found = Result.match(ended, {
        onFailure: ({ node, why }): unknown => `${why} at ${node}`,
        onSuccess: (lost) => lost
      })
      assert.deepStrictEqual(found, result)
    }
  )
})
