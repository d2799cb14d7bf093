/** Runs `plumbline block`. Loaded when the command is called. */
import * as Block from "@plumbline/eth-methods/model/Block"
import { VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as BlockView from "./BlockView.ts"

interface BlockFlags extends ReadFlags.ReadFlags {
  readonly block: string
  readonly full: boolean
}

export const run = Effect.fnUntraced(function* (flags: BlockFlags) {
  const { full } = flags
  const target = yield* Effect.fromResult(BlockTarget.named(flags.block, flags))
  const { reference } = target
  yield* ChainReading.answer(flags, {
    basis: target,
    ask: VerdictEthClient.use((eth) =>
      reference._tag === "Hash"
        ? eth.getBlockByHash(reference.hash, { full })
        : eth.getBlockByNumber(reference.block, { full })
    ),
    encode: Schema.encodeSync(Block.Block),
    view: BlockView.view,
    absent: "No such block",
    hasManySenders: full
  })
})
