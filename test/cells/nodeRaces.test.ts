import { Effect } from "effect"
import { testRaces } from "./MoveRaces.ts"
import { move, moveCellTo } from "./Moves.ts"
import { movesOnNodesOfEachKind, onNode } from "./TwoNodes.ts"

movesOnNodesOfEachKind("a company that is moving between nodes", (it) => {
  testRaces(it, {
    companies: [300, 306, 312],
    moveAround: (company) => Effect.forEach(["sur", "cell", "sur"], (cell) => move(company, cell), { discard: true }),
    last: "sur",
    atEnd: onNode
  })
})

movesOnNodesOfEachKind("a company whose cell is moving between nodes", (it) => {
  testRaces(it, {
    companies: [301, 307, 313],
    moveAround: () => Effect.forEach(["main", "este"], (node) => moveCellTo("sur", node), { discard: true }),
    last: "sur",
    atEnd: onNode
  })
})
