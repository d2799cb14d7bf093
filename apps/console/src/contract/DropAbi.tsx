/** Takes ABIs by which this screen decodes, and lists those that it has. */
import * as Result from "effect/Result"
import { useState } from "react"

import { count } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import { DropTarget } from "../parts/DropTarget.tsx"
import * as AbiFile from "./AbiFile.ts"
import * as KnownAbis from "./KnownAbis.ts"

/** The target. */
const DropAbi = () => {
  const dropped = useAtom(KnownAbis.dropped)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const take = async (file: File): Promise<void> => {
    const text = await AbiFile.textOf(file)
    const abi = Result.flatMap(text, AbiFile.read)
    setProblem(Result.isFailure(abi) ? `${file.name}: ${abi.failure}` : undefined)
    if (Result.isSuccess(abi)) KnownAbis.drop(file.name, abi.success)
  }
  return (
    <DropTarget
      isSmall
      title="Drop an ABI here"
      text="JSON, an artifact of Foundry or Hardhat, or lines of Solidity. Calls and logs are read by it until you leave the page."
      accept=".json,.abi,.txt,.sol"
      onFile={take}
    >
      {problem === undefined ? null : (
        <p className="problem mt-3" role="alert">
          {problem}
        </p>
      )}
      {dropped.length === 0 ? null : (
        <ul className="row wrap dropped-abis">
          {dropped.map(({ abi, name }) => (
            <li key={name} className="small">
              <b>{name}</b>{" "}
              <span className="soft">
                {count(abi.functions.length, "function")}, {count(abi.events.length, "event")}
              </span>{" "}
              <button type="button" className="plain" onClick={() => KnownAbis.forget(name)}>
                Forget<span className="spoken"> {name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </DropTarget>
  )
}

export default DropAbi
