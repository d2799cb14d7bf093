/** A contract by its ABI: each function that reads, its result, and the proof of the result. */
import "./contract.css"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import * as ExampleContracts from "../chain/ExampleContracts.ts"
import { Hash } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { ContractField } from "../parts/ContractField.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { useExampleContracts } from "../parts/useExampleContracts.ts"
import { useKept } from "../parts/useKept.ts"
import { BlockVerdict } from "../parts/VerdictStrip.tsx"
import * as AccountState from "../proof/AccountState.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { AbiChoice } from "./AbiChoice.tsx"
import * as ChosenAbis from "./ChosenAbis.ts"
import * as ContractReads from "./ContractReads.ts"
import { FunctionSheets } from "./FunctionSheets.tsx"

const ContractScreen = ({ place }: { readonly place: ConsoleRoute.ContractRoute }) => {
  const { address, network } = place
  return address === undefined ? (
    <div className="page">
      <ContractField
        network={network}
        title="Contract"
        submit="Open its functions"
        example="token"
        placeOf={(address) => ({ _tag: "Contract", network, address, block: "latest" })}
      >
        Reads a contract by its ABI. This page runs each call itself, over state that is proven, and does not ask the
        node for the result. Without an ABI,{" "}
        <a href={ConsoleRoute.link({ _tag: "Storage", network, block: "latest" }).href}>read its variables</a>. The{" "}
        <a href={ConsoleRoute.link({ _tag: "Network", network }).href}>blocks</a> name contracts in the column To of
        their transactions.
      </ContractField>
    </div>
  ) : (
    <Contract key={`${network} ${address}`} place={{ ...place, address }} />
  )
}

const Contract = ({ place }: { readonly place: ContractReads.ContractPlace }) => {
  const { address, network } = place
  const atom = ContractReads.account(place)
  // the results that the reader asked for stay when the reader trusts the block
  const newest = useAtom(atom)
  const result = useKept(newest)
  const chosen = useAtom(ChosenAbis.of(network, address))
  const examples = useExampleContracts(network)
  const example = examples === undefined ? undefined : ExampleContracts.at(examples, address)
  return (
    <ReadState result={result} what="the contract" again={() => registry.refresh(atom)}>
      {({ block, state }) => {
        const trust = block.isReached ? place.trust : undefined
        const at = { network, address, block: block.hash, trust }
        const warning = AccountState.warningOf(state, "function")
        return (
          <div className={`page contract ${block.isReached ? "verified" : "claimed"}`}>
            <div className="lead">
              <div>
                <p className="value-name">
                  {chosen?.name ?? (example === undefined ? "no ABI yet" : "an example, without an ABI yet")}
                </p>
                <h1>
                  {chosen !== undefined
                    ? count(chosen.abi.functions.length, "function")
                    : example === undefined
                      ? "Contract"
                      : ExampleContracts.NAMES[example]}
                </h1>
                <p className="soft row wrap">
                  <span>
                    of <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", ...at })} />
                  </span>
                  <span>
                    at{" "}
                    <a href={ConsoleRoute.link({ _tag: "Block", network, block: block.hash, trust }).href}>
                      block {grouped(block.number)}
                    </a>
                  </span>
                  <a href={ConsoleRoute.link({ _tag: "Storage", ...at }).href}>Its variables</a>
                  {place.block === "latest" ? null : (
                    <a href={ConsoleRoute.link({ _tag: "Contract", network, address, block: "latest" }).href}>
                      Read the latest block
                    </a>
                  )}
                  {chosen === undefined ? null : (
                    <button type="button" className="plain" onClick={() => ChosenAbis.forget(network, address)}>
                      Use another ABI
                    </button>
                  )}
                </p>
              </div>
              <BlockVerdict
                place={place}
                hash={block.hash}
                isVerified={block.isReached}
                isReading={AsyncResult.isInitial(newest)}
              >
                {block.isReached
                  ? "You trust this block. Each result below has a verdict of its own. The names are the ABI's, which no block proves."
                  : "Only the node says that this block is on the chain, so no result below is more than a claim."}
              </BlockVerdict>
            </div>
            {warning === undefined ? null : <p className="sheet inset problem mb-4">{warning}</p>}
            {chosen === undefined ? (
              <AbiChoice place={{ network, address, trust: place.trust, block }} hasCode={state === "contract"} />
            ) : (
              <FunctionSheets
                key={chosen.name}
                at={{ network, address, trust: place.trust, block }}
                chosen={chosen}
                linkTrust={trust}
              />
            )}
          </div>
        )
      }}
    </ReadState>
  )
}

export default ContractScreen
