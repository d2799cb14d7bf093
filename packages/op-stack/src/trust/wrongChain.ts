/** Finds a node of another chain than the description of the rollup expects. It does not lie: the reader named it. */
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type { Reason } from "@plumbline/verdict/Reason"
import * as Effect from "effect/Effect"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as OpStackReason from "./OpStackReason.ts"

/** Returns the reason if the node says to be of another chain. A node that does not say its chain is not judged. */
export const reasonOf = (
  node: "parent chain" | "rollup",
  { chainId }: Pick<EthClient.Client, "chainId">,
  chain: OpStackChain
): Effect.Effect<Reason | undefined> => {
  const expected = node === "rollup" ? chain.chainId : chain.l1ChainId
  return Effect.map(
    Effect.orElseSucceed(chainId, () => expected),
    (got) => (got === expected ? undefined : OpStackReason.WrongChain({ node, got, expected, rollup: chain.name }))
  )
}
