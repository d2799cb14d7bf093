/** The name of the function that a transaction calls, for rows of a table. */
import type { Hex } from "@plumbline/codec/hex/Hex"

import { useAtom } from "../look/useAtom.ts"
import * as Decoding from "./Decoding.ts"
import * as KnownAbis from "./KnownAbis.ts"

/** The name, or the selector if no known function fits. A guess has a question mark. */
const MethodName = ({ input, network, to }: { readonly network: string; readonly to: string; readonly input: Hex }) => {
  const call = Decoding.callOf(useAtom(KnownAbis.of(network, to)), input)
  if (call === undefined) return <code className="soft">{input.slice(0, 10)}</code>
  return (
    <code title={Decoding.reasonOfCall(call)}>
      {call.name}
      {call.by.source === "standard" ? <span className="quiet"> ?</span> : null}
    </code>
  )
}

export default MethodName
