/** `plumbline diff <address> <path...> --layout <file> --from <block> --to <block>` */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import { type Client, VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import * as Value from "@plumbline/storage-layout/value/Value"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as AccountReference from "../answer/AccountReference.ts"
import * as BlockReference from "../answer/BlockReference.ts"
import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as ReaderTrust from "../answer/ReaderTrust.ts"
import * as ReadFlags from "../answer/ReadFlags.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as ContractFlags from "./layout/ContractFlags.ts"
import * as StorageView from "./StorageView.ts"
import * as StorageWire from "./StorageWire.ts"
import * as VariableSelection from "./VariableSelection.ts"

const side = (name: "from" | "to", description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("hash|number|tag"), Flag.withDescription(description))

export const diff = Command.make(
  "diff",
  {
    address: Argument.String("address").pipe(Argument.withDescription("The contract: 0x and 40 hex digits")),
    paths: Argument.String("path").pipe(
      Argument.withDescription(
        'The part to compare: a variable, .member, [index], ["key"], .length (default: everything)'
      ),
      Argument.variadic()
    ),
    ...ContractFlags.flags,
    from: side("from", "The state after this block is compared with the state after --to"),
    to: side(
      "to",
      "The state after this block (default: the trusted block; finalized with --l1; latest without both)"
    ).pipe(Flag.optional),
    ...ReadFlags.flags
  },
  Effect.fnUntraced(function* (flags) {
    const address = yield* Effect.fromResult(AccountReference.address(flags.address))
    const blocks = yield* Effect.fromResult(Result.flatMap(ReaderTrust.parse(flags), (trust) => blocksOf(flags, trust)))
    const { from, to } = blocks
    const layout = yield* ContractFlags.layout(flags)
    const { locations } = yield* Effect.fromResult(VariableSelection.find(layout, flags.paths))
    const paths = flags.paths.length === 0 ? undefined : flags.paths
    yield* ChainReading.answer(flags, {
      ask: VerdictEthClient.use((eth) =>
        Effect.flatMap(
          missing(eth, [from, to]),
          (none): Effect.Effect<Verdict.Verdict<ContractStorage.StorageDiff | null>, DiffFailure> =>
            none !== undefined
              ? Effect.succeed(none)
              : ContractStorage.make(eth).diff(
                  { address, layout },
                  { from: BlockReference.parameter(from), to: BlockReference.parameter(to), paths }
                )
        )
      ),
      basis: blocks,
      encode: ({ changed }) =>
        Object.fromEntries(
          changed.map(({ from, path, to }) => [path, { from: Value.toJson(from.value), to: Value.toJson(to.value) }])
        ),
      beside: ({ from, left, to }) => ({ from: blockOf(from), to: blockOf(to), ...StorageWire.left(left) }),
      view: (value, _, style) => StorageView.changes(value, { address, layout, locations, style }),
      absent: "No such block"
    })
  })
).pipe(
  Command.withDescription("Show the variables of a contract that changed between two blocks, and prove both values"),
  Command.withExamples([
    {
      command: "plumbline diff 0x5fbd... --layout Token.sol --from 3 --to 9 --trust 0x88df...",
      description: "Every variable that changed, proven from a later block that you know"
    },
    {
      command: "plumbline diff 0x5fbd... totalSupply --layout out/Token.json --from 0x5f3c... --to 0x88df...",
      description: "One variable, each side proven from its block's hash"
    }
  ])
)

type DiffFailure = Effect.Error<ReturnType<ContractStorage.Reader["diff"]>>

/** The two blocks to compare, and the hashes against which the answer is checked. */
interface DiffBlocks extends BlockTarget.TargetBasis {
  readonly from: BlockReference.BlockReference
  readonly to: BlockReference.BlockReference
}

const blocksOf = (
  flags: { readonly from: string; readonly to: Option.Option<string>; readonly l1: Option.Option<unknown> },
  trust: ReaderTrust.ReaderTrust
): Result.Result<DiffBlocks, UsageError> => {
  const to = Option.getOrElse(flags.to, () => trust ?? BlockTarget.newest(flags).block)
  return Result.flatMap(
    Result.all([BlockReference.parse(flags.from, "--from"), BlockReference.parse(to, "--to")]),
    ([from, to]): Result.Result<DiffBlocks, UsageError> => {
      const hashes = [to, from].flatMap((block) => (block._tag === "Hash" ? [block.hash] : []))
      if (trust !== undefined && hashes.length === 2 && !hashes.some((hash) => Hex.equals(hash, trust))) {
        return Result.fail(new UsageError({ problem: "--trust: blocks given by their hashes are proven from those" }))
      }
      const hash = trust ?? hashes[0]
      const anchor = hash === undefined ? null : Anchor.block(hash)
      return Result.succeed({ from, to, trust, anchor, hasOther: hashes.length < 2 })
    }
  )
}

const NUMBER: EthReason.NamedBlock = { _tag: "Number" }

/** Returns the answer if the node does not know one of the blocks. */
const missing = Effect.fnUntraced(function* (eth: Client, blocks: ReadonlyArray<BlockReference.BlockReference>) {
  for (const block of blocks) {
    const verdict = yield* block._tag === "Hash" ? eth.getBlockByHash(block.hash) : eth.getBlockByNumber(block.block)
    if (verdict.value === null)
      return Verdict.claim(null, verdict.claimed[0]?.reason ?? EthReason.BlockUnknown({ named: NUMBER }))
  }
  return undefined
})

const blockOf = ({ blockHash, blockNumber }: ContractStorage.ReadingBlock): unknown =>
  blockNumber === undefined ? null : ReadAnswer.blockWire({ number: blockNumber, hash: blockHash })
