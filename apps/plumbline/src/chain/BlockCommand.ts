/** `plumbline block <hash|number|tag> [--full]` */
import * as Block from "@plumbline/eth-methods/model/Block"
import { VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as Reading from "../answer/Reading.ts"
import * as Target from "../answer/Target.ts"
import * as BlockView from "./BlockView.ts"

/** Reads a block, by hash or by number or tag. */
export const block = Command.make(
  "block",
  {
    block: Argument.String("block").pipe(
      Argument.withDescription("A block hash, a number (decimal or 0x), or latest, earliest, pending, safe, finalized")
    ),
    full: Flag.Boolean("full").pipe(
      Flag.withoutNegation,
      Flag.withDescription("With whole transactions, which prove each other and their senders, not only their hashes"),
      Flag.withDefault(false)
    ),
    ...ReadFlags.flags
  },
  Effect.fnUntraced(function* (flags) {
    const { full } = flags
    const target = yield* Effect.fromResult(Target.named(flags.block, flags))
    const { reference } = target
    yield* Reading.answer(flags, {
      basis: target,
      ask: VerdictEthClient.use((eth) =>
        reference._tag === "Hash"
          ? eth.getBlockByHash(reference.hash, { full })
          : eth.getBlockByNumber(reference.block, { full })
      ),
      encode: Schema.encodeSync(Block.Block),
      view: BlockView.view,
      absent: "No such block"
    })
  })
).pipe(
  Command.withDescription("Read a block, and prove it from its hash"),
  Command.withExamples([
    { command: "plumbline block latest", description: "The newest block, on the node's word" },
    { command: "plumbline block 0x5f3c... --full", description: "A block with its transactions, all proven" },
    { command: "plumbline block 17 --trust 0x5f3c...", description: "Block 17, proven to be the one you know" }
  ])
)
