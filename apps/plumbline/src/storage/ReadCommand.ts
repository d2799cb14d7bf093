/** `plumbline read <address> <path...> --layout <file>` */
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import * as Everything from "@plumbline/storage-layout/read/Readable"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as ReadFlags from "../answer/ReadFlags.ts"
import * as AccountQuestion from "../ens/AccountQuestion.ts"
import * as EnsFlags from "../ens/EnsFlags.ts"
import * as ContractFlags from "./layout/ContractFlags.ts"
import * as StorageView from "./StorageView.ts"
import * as StorageWire from "./StorageWire.ts"
import * as VariableSelection from "./VariableSelection.ts"

export const read = Command.make(
  "read",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("The contract: 0x and 40 hex digits, or its ENS name")
    ),
    paths: Argument.String("path").pipe(
      Argument.withDescription(
        'The part to read: a variable, .member, [index], ["key"], .length (default: everything)'
      ),
      Argument.variadic()
    ),
    ...ContractFlags.flags,
    block: ReadFlags.block,
    ...EnsFlags.flags,
    ...ReadFlags.flags
  },
  Effect.fnUntraced(function* (flags) {
    const target = yield* Effect.fromResult(BlockTarget.state(flags))
    const layout = yield* ContractFlags.layout(flags)
    const { left, locations } = yield* Effect.fromResult(VariableSelection.find(layout, flags.paths))
    const paths = locations.map(({ path }) => path)
    const block = BlockTarget.parameter(target)
    const question = yield* AccountQuestion.make(flags, target, (eth, address) =>
      Effect.map(ContractStorage.make(eth).readMany({ address, layout }, paths, { block }), (verdict) => {
        const decoded = verdict.value.variables
        const notRead = [...left, ...Everything.leftOut(layout, locations, decoded)]
        const values = decoded.map(({ value }) => value)
        const { account } = verdict.value
        return Verdict.map(verdict, () => ({ address, account, values, left: notRead }), ReadAnswer.samePaths)
      })
    )
    yield* ChainReading.answer(flags, {
      ...question,
      basis: target,
      encode: ({ value }) => Object.fromEntries(paths.map((path, i) => [path, StorageWire.value(value.values[i]!)])),
      beside: ({ value }) => ({ ...StorageWire.account(value.account), ...StorageWire.left(value.left) }),
      block: ({ block }) => block,
      view: (answer, claimed, style) =>
        StorageView.values(answer, { address: answer.value.address, layout, locations, style }, claimed),
      absent: "No such block"
    })
  })
).pipe(
  Command.withDescription("Read a contract's variables by name, and prove them from the hash of a block"),
  Command.withExamples([
    {
      command: "plumbline read 0x5fbd... --layout Token.sol",
      description:
        "Every variable at the latest block: VERIFIED with the light client of `plumbline up`, otherwise CLAIMED"
    },
    {
      command: "plumbline read 0x5fbd... totalSupply 'balanceOf[0xf39f...]' --layout out/Token.json --trust 0x88df...",
      description: "Two values, proven from a block you know"
    }
  ])
)
