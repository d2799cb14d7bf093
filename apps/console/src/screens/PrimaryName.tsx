/** The name of an address in ENS, if it is proven. Anything else shows nothing. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Address from "@plumbline/codec/value/Address"
import * as Ens from "@plumbline/ens/resolve/Ens"
import * as EnsChain from "@plumbline/ens/resolve/EnsChain"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"

import { NetworkClients } from "../chain/NetworkClients.ts"
import * as NetworkRules from "../chain/NetworkRules.ts"
import { read } from "../chain/ReadAtoms.ts"
import { useAtom } from "../look/useAtom.ts"
import { VerdictMark } from "../look/VerdictMark.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** An address at a block. */
export interface NamedPlace {
  readonly network: string
  readonly address: string
  /** The hash of the block. */
  readonly block: string
  /** The trust from which the block hangs; undefined if it hangs from none. */
  readonly trust: string | undefined
}

/** Calls the contracts of ENS in the page, over proven state. No gateway is asked. */
const names = Atom.family((id: string) => {
  const { address, block, network, trust } = JSON.parse(id) as NamedPlace
  return read(
    { network, trust },
    Effect.gen(function* () {
      const { network, verdicts } = yield* NetworkClients
      const chainId = NetworkRules.chainIdOf(network)
      const chain = chainId === undefined ? undefined : EnsChain.of(chainId)
      if (chain === undefined) return undefined
      const verdict = yield* Ens.make(yield* verdicts, { chain }).name(Address.fromHexUnsafe(address), {
        block: { blockHash: Hash32.fromHexUnsafe(block) }
      })
      return verdict._tag === "VERIFIED" && verdict.value !== null ? verdict.value : undefined
    })
  )
})

const PrimaryName = ({ address, block, network, trust }: NamedPlace) => {
  const result = useAtom(names(JSON.stringify({ network, address: address.toLowerCase(), block, trust })))
  const name = Option.getOrUndefined(AsyncResult.value(result))
  return name === undefined ? null : (
    <a
      className="ens verified"
      href={ConsoleRoute.link({ _tag: "Name", network, name, block, trust }).href}
      title="Proven: the contracts of ENS give this name in this block, and the name leads back to the address."
    >
      <VerdictMark word="VERIFIED" size={12} /> {name}
    </a>
  )
}

export default PrimaryName
