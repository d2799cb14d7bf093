/** A name of ENS at a block: the address that it means, by a call that this page runs over proven state. */
import * as Address from "@plumbline/codec/value/Address"
import * as EnsName from "@plumbline/ens/name/EnsName"
import * as Ens from "@plumbline/ens/resolve/Ens"
import * as EnsChain from "@plumbline/ens/resolve/EnsChain"
import * as EnsEvidence from "@plumbline/ens/resolve/EnsEvidence"
import * as Effect from "effect/Effect"

import * as CallReads from "../chain/CallReads.ts"
import { NotShownError } from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import * as NetworkRules from "../chain/NetworkRules.ts"
import { numberedBlock, reaches } from "../chain/Reach.ts"
import { Age } from "../look/Age.tsx"
import { grouped, short } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { CallLine } from "../microscope/CallLine.tsx"
import { placeReads } from "../parts/placeReads.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { BlockVerdict } from "../parts/VerdictStrip.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

import "./explorer.css"

type NameRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Name" }>

const found = placeReads((place: NameRoute) =>
  Effect.gen(function* () {
    const { network, verdicts } = yield* NetworkClients
    const name = yield* Effect.fromResult(EnsName.fromText(place.name))
    const id = NetworkRules.chainIdOf(network)
    const chain = id === undefined ? undefined : EnsChain.of(id)
    if (chain === undefined) {
      return yield* new NotShownError({
        what: `The name ${name}`,
        why: `cannot be read on ${network.name}: ENS is known on mainnet, Sepolia and Holesky.`
      })
    }
    const client = yield* verdicts
    const block = yield* numberedBlock(place.block)
    const verdict = yield* Ens.make(client, { chain }).address(name, { block: { blockHash: block.hash } })
    const isVerified = verdict._tag === "VERIFIED" && (yield* reaches(place.trust, block))
    return {
      name,
      block,
      address: verdict.value,
      isVerified,
      anchor: isVerified ? verdict.anchor : undefined,
      basis: CallReads.basisOf(verdict.proven),
      why: verdict.proven.find(EnsEvidence.Resolution.is)?.sentence
    }
  })
)

const NameScreen = ({ place }: { readonly place: NameRoute }) => {
  const atom = found(place)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what={`the name ${place.name}`} again={() => registry.refresh(atom)}>
      {({ address, anchor, basis, block, isVerified, name, why }) => {
        const { network } = place
        const trust = isVerified ? place.trust : undefined
        return (
          <div className={`page explorer ${isVerified ? "verified" : "claimed"}`}>
            <div className="lead">
              <div>
                <p className="value-name">{name}</p>
                <h1 className="mono">{address === null ? "No address" : Address.checksum(address)}</h1>
                <p className="soft row wrap">
                  <span>
                    at{" "}
                    <a href={ConsoleRoute.link({ _tag: "Block", network, block: block.hash, trust }).href}>
                      block {grouped(block.number)}
                    </a>
                  </span>
                  <Age seconds={block.timestamp} />
                  {address === null ? null : (
                    <a
                      className="button primary"
                      href={ConsoleRoute.link({ _tag: "Account", network, address, block: block.hash, trust }).href}
                    >
                      Go to the account
                    </a>
                  )}
                </p>
              </div>
              <BlockVerdict place={place} hash={block.hash} isVerified={isVerified} anchor={anchor}>
                {isVerified
                  ? "The contracts of ENS give this answer in the block that you trust. Whose name it is, no block says."
                  : "The contracts of ENS give this answer in this block, but only the node says that the block is on the chain."}
              </BlockVerdict>
            </div>
            {basis === undefined ? null : (
              <section className="sheet">
                <header>
                  <h2>
                    Why <span>{why}</span>
                  </h2>
                </header>
                <CallLine
                  basis={basis}
                  anchor={anchor}
                  network={network}
                  trust={trust}
                  result={address === null ? "no address" : short(address)}
                />
              </section>
            )}
          </div>
        )
      }}
    </ReadState>
  )
}

export default NameScreen
