/** An amount of a token in whole tokens, if its contract names its units; otherwise in its smallest unit. */
import { Digits } from "../look/Digits.tsx"
import { grouped } from "../look/TextFormats.ts"
import { type DecodingPlace, useUnits } from "./DecodedCall.tsx"
import { amount as written } from "./DecodedValue.tsx"

/** The amount. Units that only the node says are marked. */
const TokenAmount = ({ amount, place }: { readonly place: DecodingPlace; readonly amount: bigint }) => {
  const units = useUnits(place)
  if (units === undefined) {
    return (
      <span className="number">
        <Digits>{grouped(amount)}</Digits>
      </span>
    )
  }
  return (
    <>
      <span className="number">
        <Digits>{written(amount, units)}</Digits>
      </span>
      {units.isVerified === false ? <span className="quiet small"> units claimed</span> : null}
    </>
  )
}

export default TokenAmount
