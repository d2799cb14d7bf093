/** A short form of `pnpm lab log-ranges --following`: a reader that is killed while the chain is reorganised. */
import * as Random from "@plumbline/seeded/Random"
import { assert, describe, it } from "vitest"

import { receiptAnswers } from "../src/inputs/ethereumjsAnswers.ts"
import { follow } from "../src/logs/killedReader.ts"
import { startNode } from "../src/logs/startNode.ts"

const { address } = receiptAnswers.flatMap(({ logs }) => logs)[0]!

describe("a reader of logs that is killed while the chain is reorganised", { timeout: 600_000 }, () => {
  for (const kind of ["drops", "fails"] as const) {
    it(`has each log once, from a node of the kind ${kind}`, async ({ onTestFinished }) => {
      const node = await startNode({ blocks: 1, every: 20, kind })
      onTestFinished(() => void node.stop())
      const outcome = await follow(node, address, { blocks: Random.sized(800), growth: 160, seed: 5 })
      assert.deepInclude(outcome, { lost: 0, twice: 0, left: 0, refused: 0 })
      if (!Random.isWhole) return
      assert.isAbove(outcome.kills, 1)
      assert.isAbove(outcome.reorganisations, 1)
      assert.isAbove(outcome.removed, 0)
    })
  }
})
