/** The functions of a contract, in three groups: values without arguments, reads with arguments, and simulated changes. */
import type { Hex } from "@plumbline/codec/hex/Hex"
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import type { AbiFunction } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"
import { useState } from "react"

import { useAtom } from "../look/useAtom.ts"
import { TypedField } from "../parts/TypedField.tsx"
import { ParameterFields } from "../playground/ParameterFields.tsx"
import type { FieldTexts } from "../playground/SchemaForms.ts"
import * as TypedText from "../route/TypedText.ts"
import * as AbiForms from "./AbiForms.ts"
import { CallResult } from "./CallResult.tsx"
import * as ContractReads from "./ContractReads.ts"
import type { TokenUnits } from "./DecodedValue.tsx"
import * as FunctionResult from "./FunctionResult.ts"
import type { ShownContract } from "./ShownContract.ts"
import { unitsOf } from "./tokenUnits.ts"

/** The groups. */
export const FunctionSheets = ({ at, chosen, linkTrust }: ShownContract) => {
  const { functions } = chosen.abi
  const isRead = ({ stateMutability }: AbiFunction): boolean => stateMutability === "view" || stateMutability === "pure"
  const values = functions.filter((item) => isRead(item) && item.inputs.length === 0)
  const reads = functions.filter((item) => isRead(item) && item.inputs.length > 0)
  const changes = functions.filter((item) => !isRead(item))
  const units = useAtom(unitsOf(at, functions))
  const shared = { at, chosen, linkTrust, units }
  return (
    <div className="column">
      {values.length === 0 ? null : (
        <section className="sheet">
          <header>
            <h2>
              Values <span>functions without arguments, all read at this block</span>
            </h2>
          </header>
          <ul className="functions">
            {values.map((item) => (
              <li key={item.name} data-function={item.name}>
                <h3 className="mono">{item.name}</h3>
                <CallResult
                  {...shared}
                  item={item}
                  atom={ContractReads.call({ ...at, data: FunctionResult.dataOf(item) })}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      {reads.length === 0 ? null : (
        <section className="sheet">
          <header>
            <h2>
              Reads <span>functions with arguments</span>
            </h2>
          </header>
          <ul className="functions">
            {reads.map((item) => (
              <FunctionItem key={AbiFunctions.signature(item)} {...shared} item={item} />
            ))}
          </ul>
        </section>
      )}
      {changes.length === 0 ? null : (
        <section className="sheet">
          <header>
            <h2>
              Changes <span>run in this page only: nothing is signed or sent, and nothing changes</span>
            </h2>
          </header>
          <ul className="functions">
            {changes.map((item) => (
              <FunctionItem key={AbiFunctions.signature(item)} {...shared} item={item} hasCaller />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** A function with arguments: its form, and below it the result of the last call. */
const FunctionItem = ({
  hasCaller = false,
  item,
  ...shared
}: ShownContract & {
  readonly item: AbiFunction
  readonly units: TokenUnits | undefined
  /** True to show a field for the caller, on whom the result of a change often depends. */
  readonly hasCaller?: boolean
}) => {
  const [texts, setTexts] = useState<FieldTexts>({})
  const [caller, setCaller] = useState("")
  const [isTried, setTried] = useState(false)
  const [asked, setAsked] = useState<{ readonly data: Hex; readonly from: string | undefined } | undefined>(undefined)
  const signature = AbiFunctions.signature(item)
  const found = AbiForms.read(item, texts)
  const mistakes = Result.isFailure(found) ? found.failure : {}
  const from = caller.trim()
  const callerProblem = hasCaller && from !== "" ? TypedText.addressProblem(from) : undefined
  return (
    <li data-function={item.name}>
      <details>
        <summary>
          <h3 className="mono">{item.name}</h3>{" "}
          <span className="small quiet mono">{signature.slice(item.name.length)}</span>
        </summary>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault()
            setTried(true)
            if (Result.isSuccess(found) && callerProblem === undefined) {
              setAsked({ data: found.success, from: from === "" ? undefined : from })
            }
          }}
        >
          {AbiForms.fieldsOf(item).map((param) => (
            <ParameterFields
              key={param.name}
              prefix={`${signature}-`}
              param={param}
              texts={texts}
              mistake={isTried ? mistakes[param.name] : undefined}
              onText={(path, text) => setTexts((before) => ({ ...before, [path]: text }))}
            />
          ))}
          {hasCaller ? (
            <div className="form-row">
              <label htmlFor={`${signature}-from`}>
                caller <small>optional; else the zero address</small>
              </label>
              <div>
                <TypedField
                  id={`${signature}-from`}
                  value={caller}
                  onText={setCaller}
                  problem={isTried ? callerProblem : undefined}
                />
              </div>
            </div>
          ) : null}
          {isTried && mistakes[""] !== undefined ? (
            <p className="problem" role="alert">
              {mistakes[""]}
            </p>
          ) : null}
          <p>
            <button type="submit" className="button primary">
              {hasCaller ? "Simulate" : "Read"}
            </button>
          </p>
        </form>
        {asked === undefined ? null : (
          <CallResult {...shared} isAsked item={item} atom={ContractReads.call({ ...shared.at, ...asked })} />
        )}
      </details>
    </li>
  )
}
