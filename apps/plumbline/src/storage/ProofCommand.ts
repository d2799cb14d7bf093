/** `plumbline proof <address> [slot...]` */
import * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Answer from "../answer/Answer.ts"
import * as InBlock from "../answer/InBlock.ts"
import * as ReadFlags from "../answer/ReadFlags.ts"
import * as Reading from "../answer/Reading.ts"
import * as Target from "../answer/Target.ts"
import * as AccountReference from "./AccountReference.ts"
import * as ProofView from "./ProofView.ts"

/** Reads an account and slots of its storage, with the trie nodes that prove them. */
export const proof = Command.make(
  "proof",
  {
    address: Argument.String("address").pipe(Argument.withDescription("The account: 0x and 40 hex digits")),
    slots: Argument.String("slot").pipe(
      Argument.withDescription("Slots of its storage: numbers, decimal or 0x, or 32-byte words"),
      Argument.variadic()
    ),
    block: ReadFlags.block,
    ...ReadFlags.flags
  },
  Effect.fnUntraced(function* (flags) {
    const address = yield* Effect.fromResult(AccountReference.address(flags.address))
    const { length } = flags.slots
    const keys = yield* Effect.fromResult(
      Result.all(
        flags.slots.map((text, i) => AccountReference.slot(text, length === 1 ? "slot" : `slot ${i + 1} of ${length}`))
      )
    )
    const target = yield* Effect.fromResult(Target.state(flags))
    yield* Reading.answer(flags, {
      ask: InBlock.read(target, (eth) =>
        Effect.map(eth.getProof(address, keys, Target.parameter(target)), (verdict) =>
          Verdict.map(verdict, (proof) => ({ proof, isAbsent: isAbsent(verdict) }), Answer.samePaths)
        )
      ),
      basis: target,
      encode: ({ value }) => encode(value.proof),
      block: ({ block }) => block,
      view: ProofView.view,
      absent: "No such block"
    })
  })
).pipe(
  Command.withDescription("Read an account and its storage, and prove them from the hash of a block"),
  Command.withExamples([
    { command: "plumbline proof 0x5fbd...", description: "Nonce, balance, and hashes of code and storage, now" },
    {
      command: "plumbline proof 0x5fbd... 0 1 --trust 0x88df...",
      description: "The same and two slots, proven from a block you know"
    },
    {
      command: "plumbline proof 0x5fbd... --block 17 --trust 0x88df... --json",
      description: "After block 17, with the trie nodes for others to check"
    }
  ])
)

/**
 * True if the evidence proves that there is no account. An account with nothing in it, as there were before EIP-161,
 * has the same fields.
 */
const isAbsent = ({ proven }: Verdict.Verdict<unknown>): boolean =>
  proven.some((shown) => EthEvidence.Account.is(shown) && !shown.exists)

const encode = Schema.encodeSync(AccountProof.AccountProof)
