import { Effect } from "effect"
import { testRaces } from "./MoveRaces.ts"
import { move, moveCellTo } from "./Moves.ts"
import { movesOnNodesOfEachKind, onNode } from "./TwoNodes.ts"

movesOnNodesOfEachKind("a company that moves between nodes meanwhile", (it) => {
  testRaces(it, {
    companies: [300, 306, 312],
    moveAround: (company) => Effect.forEach(["sur", "cell", "sur"], (cell) => move(company, cell), { discard: true }),
    last: "sur",
    atEnd: onNode
  })
})

movesOnNodesOfEachKind("a company in a cell that moves between nodes meanwhile", (it) => {
  testRaces(it, {
    companies: [301, 307, 313],
    moveAround: () => Effect.forEach(["main", "este"], (node) => moveCellTo("sur", node), { discard: true }),
    last: "sur",
    atEnd: onNode
  })
})
