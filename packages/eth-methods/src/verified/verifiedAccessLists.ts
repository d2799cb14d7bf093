/** Block access lists, proven by the header of their block. */
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as BlockAccessList from "../model/BlockAccessList.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import { provenHeader } from "../proof/verifyBlock.ts"
import { verifyBlockAccessList } from "../proof/verifyBlockAccessList.ts"
import type { BlockLocator } from "./blockLocator.ts"
import { type ReorgFailure, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client } from "./verdictClient.ts"

export const make = (chain: BlockLocator): Pick<Client, "getBlockAccessList"> => {
  const { eth } = chain

  const getBlockAccessList = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter
  ): Effect.fn.Return<Verdict<BlockAccessList.BlockAccessList | null>, ReorgFailure> {
    const [located, list] = yield* chain.about(
      parameter,
      undefined,
      (hash) => eth.getBlockAccessList(hash),
      eth.getBlockAccessList(parameter)
    )
    if (located._tag === "Missing") return claim(list, located.reason)
    const block = provenHeader(located.verdict)
    if (block === undefined) return claim(list, located.verdict.claimed[0]!.reason)
    return settle(located.link, yield* Effect.fromResult(verifyBlockAccessList(list, block)))
  })

  return { getBlockAccessList: (block) => retryOnReorg("eth_getBlockAccessList", getBlockAccessList(block)) }
}
