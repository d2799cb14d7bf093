/** Questions about an account that is given by its address or by its ENS name. */
import type * as Address from "@plumbline/codec/value/Address"
import type { Client } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as AccountReference from "../answer/AccountReference.ts"
import type { BlockTarget } from "../answer/BlockTarget.ts"
import * as InBlock from "../answer/InBlock.ts"
import type { ChainFlags } from "../node/ChainFlags.ts"
import type { EnsFlags } from "./EnsFlags.ts"

/**
 * Returns the parts of a `ChainQuestion` about an account. `ask` gets the address; if a name was given, that is the
 * name's address at the same block, and the verdict covers both.
 */
export const make = Effect.fnUntraced(function* <A, E>(
  flags: EnsFlags & ChainFlags & { readonly address: string },
  target: BlockTarget,
  ask: (eth: Client, address: Address.Address) => Effect.Effect<Verdict<A>, E>
) {
  const reference = yield* Effect.fromResult(AccountReference.parse(flags.address))
  if (reference._tag === "Address") {
    return { ask: InBlock.read(target, (eth) => ask(eth, reference.address)), rules: undefined }
  }
  const [EnsName, NameReading, NamedAccount] = yield* Effect.promise(() =>
    Promise.all([import("@plumbline/ens/name/EnsName"), import("./NameReading.ts"), import("./NamedAccount.ts")])
  )
  const name = yield* Effect.fromResult(EnsName.fromText(reference.name))
  const names = NameReading.make(flags)
  return {
    ask: InBlock.read(target, (eth, block) =>
      NamedAccount.ask(names, name, [eth, block, target], (address) => ask(eth, address))
    ),
    rules: names.rules
  }
})
