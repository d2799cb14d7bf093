/** Questions about an account that is given by its address or by its ENS name. */
import type * as Address from "@plumbline/codec/value/Address"
import type { Client } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import * as AccountReference from "../answer/AccountReference.ts"
import type { BlockTarget } from "../answer/BlockTarget.ts"
import * as InBlock from "../answer/InBlock.ts"
import type { ChainFlags } from "../node/ChainFlags.ts"
import * as EnsFlags from "./EnsFlags.ts"
import type { NameReading } from "./NameReading.ts"

type AccountFlags = EnsFlags.EnsFlags & ChainFlags & { readonly address: string }

/**
 * Returns the parts of a `ChainQuestion` about an account. `ask` gets the address; if a name was given, that is the
 * name's address at the same block, and the verdict covers both. `rules` are those of a question that runs a call itself.
 */
export const make = Effect.fnUntraced(function* <A, E>(
  flags: AccountFlags,
  target: BlockTarget,
  ask: (eth: Client, address: Address.Address) => Effect.Effect<Verdict<A>, E>,
  rules: NameReading["rules"] | undefined = chainOf(flags)
) {
  const reference = yield* Effect.fromResult(AccountReference.parse(flags.address))
  if (reference._tag === "Address") {
    yield* Effect.fromResult(EnsFlags.refuseWithAddress(flags))
    return { ask: InBlock.read(target, (eth) => ask(eth, reference.address)), rules }
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

/** Returns the chain that the flags name, whose blocks the node must give; undefined if they name none. */
const chainOf = (flags: AccountFlags): NameReading["rules"] | undefined =>
  Option.isNone(flags.chainId) && Option.isNone(flags.hardfork)
    ? undefined
    : (followed) =>
        Effect.flatMap(
          Effect.promise(() => import("../rules/CallRules.ts")),
          (CallRules) => CallRules.resolve(flags, followed)
        )
