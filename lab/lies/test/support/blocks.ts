/** The blocks that the lies of nodes of Ethereum are about. */
import { isWhole } from "@plumbline/seeded/Random"

import * as History from "../../src/eth/history.ts"

/** True to test every trust in every world, which takes minutes. Set `PLUMBLINE_RUNS=1000` for that. */
export const isEvery: boolean = Number(process.env["PLUMBLINE_RUNS"] ?? 0) >= 1000

/**
 * In CI four blocks are tested: one from before Byzantium, one with two failed transactions, one with an uncle, and one
 * with every type of transaction. Outside CI, only the second block is tested. Every liar runs in each test.
 */
export const blocks: ReadonlyArray<number> = isEvery ? History.BLOCKS : isWhole ? [7, 19, 27, 67] : [19]

/** The time limit of a test. Each liar answers hundreds of questions in each world, and the worlds share the processor. */
export const TIMEOUT = 3_600_000
