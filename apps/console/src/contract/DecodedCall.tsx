/** Shows the data of a call as a function with its arguments, or as bytes if no known function fits. */
import type { Hex } from "@plumbline/codec/hex/Hex"

import { count } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import type { ReadBlock } from "./ContractReads.ts"
import { DecodedValues } from "./DecodedValue.tsx"
import * as Decoding from "./Decoding.ts"
import * as KnownAbis from "./KnownAbis.ts"
import * as StandardAbis from "./StandardAbis.ts"
import { none, unitsOf } from "./tokenUnits.ts"

import "./contract.css"

/** The place of a contract that is called, or that emitted a log. */
export interface DecodingPlace {
  readonly network: string
  readonly trust: string | undefined
  readonly address: string
  readonly block: ReadBlock
}

/** Returns the units of a contract's amounts, read by the functions of ERC-20. */
export const useUnits = (place: DecodingPlace | undefined) =>
  useAtom(place === undefined ? none : unitsOf(place, ERC20.functions))

const ERC20 = StandardAbis.of("ERC-20")

/** Maximum number of characters of bytes that are shown. */
const MOST = 2000

/** The call of the contract at `place`. */
const DecodedCall = ({ input, place }: { readonly place: DecodingPlace; readonly input: Hex }) => {
  const { address, block, network, trust } = place
  const call = Decoding.callOf(useAtom(KnownAbis.of(network, address)), input)
  const units = useUnits(call?.amountAt === undefined ? undefined : place)
  const linkTrust = block.isReached ? trust : undefined
  if (call === undefined) {
    return (
      <div className="decoded-item" data-decoded="none">
        <p>
          {count((input.length - 2) / 2, "byte")}
          {input.length < 10 ? null : (
            <>
              , selector <code>{input.slice(0, 10)}</code>
            </>
          )}
        </p>
        <p className="small soft">No known ABI has a function that fits. Drop the contract&apos;s ABI below.</p>
        <p className="whole">{input.length > MOST ? `${input.slice(0, MOST)}…` : input}</p>
      </div>
    )
  }
  return (
    <div className="decoded-item" data-decoded={call.by.source}>
      <p>
        <code className="strong">{call.name}</code>{" "}
        <span className={`small abi-source ${call.by.source}`}>
          {call.by.source === "standard" ? "a guess" : call.by.name}
        </span>
      </p>
      {call.types.length === 0 ? null : (
        <DecodedValues
          types={call.types}
          values={call.values}
          links={{ network, block: block.hash, trust: linkTrust }}
          units={units}
          amountAt={call.amountAt}
          noun="argument"
        />
      )}
      <p className="small soft">
        {Decoding.reasonOfCall(call)}
        {call.extraBytes === 0
          ? ""
          : ` ${count(call.extraBytes, "more byte")} follow, which the function does not read.`}
      </p>
    </div>
  )
}

export default DecodedCall
