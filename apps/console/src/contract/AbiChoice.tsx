/** The choice of an ABI: a standard by which the contract answers, a file, or a text. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"
import { useId, useState } from "react"

import { useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import * as DropTarget from "../parts/DropTarget.tsx"
import * as AbiFile from "./AbiFile.ts"
import * as ChosenAbis from "./ChosenAbis.ts"
import * as ContractReads from "./ContractReads.ts"
import * as StandardAbis from "./StandardAbis.ts"

type Place = Omit<ContractReads.AskedCall, "data" | "from">

/** The choice. Without code there is nothing to recognise. */
export const AbiChoice = ({ hasCode, place }: { readonly place: Place; readonly hasCode: boolean }) => {
  const { address, network } = place
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const id = useId()
  const choose = (name: string, text: string): void => {
    const read = AbiFile.read(text)
    const problem = Result.isFailure(read)
      ? read.failure
      : read.success.functions.length === 0
        ? "The ABI has no function."
        : undefined
    setProblem(problem)
    if (problem === undefined) ChosenAbis.choose(network, address, { name, text })
  }
  const take = async (file: File): Promise<void> => {
    const read = await AbiFile.textOf(file)
    if (Result.isFailure(read)) setProblem(read.failure)
    else choose(file.name, read.success)
  }
  return (
    <div className="column">
      <Standards place={place} hasCode={hasCode} onChoose={(name) => choose(name, textOf(name))} />
      <div className="abreast">
        <form
          className="sheet inset stack"
          onSubmit={(event) => {
            event.preventDefault()
            choose("pasted ABI", text)
          }}
        >
          <h2>
            <label htmlFor={id}>Paste an ABI</label>
          </h2>
          <p className="soft" id={`${id}-form`}>
            JSON, or one function a line, as in Solidity. It stays in this browser.
          </p>
          <textarea
            id={id}
            className="field mono"
            rows={6}
            spellCheck={false}
            autoComplete="off"
            placeholder={"function balanceOf(address owner) view returns (uint256)\nerror NotOwner(address caller)"}
            aria-describedby={problem === undefined ? `${id}-form` : `${id}-problem`}
            aria-invalid={problem !== undefined}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {problem === undefined ? null : (
            <p className="problem" role="alert" id={`${id}-problem`}>
              {problem}
            </p>
          )}
          <p>
            <button type="submit" className="button primary">
              Use this ABI
            </button>
          </p>
        </form>
        <DropTarget.DropTarget
          title="Or drop a file here"
          text="The ABI as JSON, or an artifact of Foundry or Hardhat that holds it. It stays in this browser."
          accept=".json,.abi,.txt"
          onFile={take}
        />
      </div>
    </div>
  )
}

const textOf = (name: StandardAbis.StandardName): string => StandardAbis.all.find((one) => one.name === name)!.text

/** The standards. Those by which the contract answers are marked. */
const Standards = ({
  hasCode,
  onChoose,
  place
}: {
  readonly place: Place
  readonly hasCode: boolean
  readonly onChoose: (name: StandardAbis.StandardName) => void
}) => (
  <section className="sheet">
    <header>
      <h2>
        Standards <span>whose functions the contract may have</span>
      </h2>
    </header>
    {hasCode ? <Recognised place={place} onChoose={onChoose} /> : <Buttons found={[]} onChoose={onChoose} />}
  </section>
)

const Recognised = ({
  onChoose,
  place
}: {
  readonly place: Place
  readonly onChoose: (name: StandardAbis.StandardName) => void
}) => {
  const result = useAtom(ContractReads.standards(place))
  const found = Option.getOrElse(AsyncResult.value(result), () => [])
  return (
    <>
      <p className="inset below-header soft" role="status">
        {AsyncResult.isFailure(result)
          ? "The contract could not be asked by which standard it answers. Choose one, if you know it."
          : AsyncResult.isInitial(result)
            ? "Asking the contract by which standard it answers …"
            : found.length === 0
              ? "It answers by none of these. Paste or drop its ABI."
              : "It answers as these standards demand. That does not prove that it keeps their rules."}
      </p>
      <Buttons found={found} onChoose={onChoose} />
    </>
  )
}

const Buttons = ({
  found,
  onChoose
}: {
  readonly found: ReadonlyArray<ContractReads.FoundStandard>
  readonly onChoose: (name: StandardAbis.StandardName) => void
}) => (
  <ul className="standards">
    {StandardAbis.all.map(({ name, what }) => {
      const one = found.find((standard) => standard.name === name)
      return (
        <li key={name}>
          <button
            type="button"
            className={one === undefined ? "button" : "button primary"}
            onClick={() => onChoose(name)}
          >
            {name}
          </button>
          <span className="soft">{what}</span>
          {one === undefined ? null : (
            <span className="small soft answers">
              <VerdictWord word={one.isVerified ? "VERIFIED" : "CLAIMED"} /> its answers
            </span>
          )}
        </li>
      )
    })}
  </ul>
)
