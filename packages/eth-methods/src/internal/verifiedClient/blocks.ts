/** Blocks, proven by their hashes. */
import type * as Hash32 from "@plumbline/codec/Hash32"
import * as Effect from "effect/Effect"

import type * as BlockParameter from "../../BlockParameter.ts"
import type * as EthClient from "../../EthClient.ts"
import { claim, type Verdict } from "../../Verified.ts"
import type { Client } from "../../VerifiedEthClient.ts"
import { type BlockOptions, type Chain, type Read, settle } from "./chain.ts"

export const make = (chain: Chain): Pick<Client, "getBlockByHash" | "getBlockByNumber"> => {
  const get = <const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options?: Options
  ): Read<Verdict<EthClient.BlockOf<Options> | null>> =>
    Effect.map(chain.locate(parameter, options), (located): Verdict<EthClient.BlockOf<Options> | null> =>
      located._tag === "Missing" ? claim(located.value, located.reason) : settle(located.tie, located.verdict)
    )
  return {
    getBlockByHash: <const Options extends BlockOptions = {}>(hash: Hash32.Hash32, options?: Options) =>
      get(hash, options),
    getBlockByNumber: <const Options extends BlockOptions = {}>(block: BlockParameter.NumberOrTag, options?: Options) =>
      get(block, options)
  }
}
