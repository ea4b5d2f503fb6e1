import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { testRaces } from "./MoveRaces.ts"
import { move, moveCellTo } from "./Moves.ts"
import { CompanyMovesOnNodes, MovesOnTwoNodes, onNode } from "./TwoNodes.ts"

layer(CompanyMovesOnNodes, { excludeTestServices: true, timeout: "5 minutes" })(
  "a company that moves between nodes meanwhile",
  (it) => {
    testRaces(it, {
      companies: [300, 306, 312],
      moveAround: (company) => Effect.forEach(["sur", "cell", "sur"], (cell) => move(company, cell), { discard: true }),
      last: "sur",
      atEnd: onNode
    })
  }
)

layer(MovesOnTwoNodes, { excludeTestServices: true, timeout: "5 minutes" })(
  "a company whose cell moves between nodes meanwhile",
  (it) => {
    testRaces(it, {
      companies: [301, 307, 313],
      moveAround: () => Effect.forEach(["main", "este"], (node) => moveCellTo("sur", node), { discard: true }),
      last: "sur",
      atEnd: onNode
    })
  }
)
