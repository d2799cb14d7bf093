/** The result of a call of a function: its values or its revert, the verdict, and the line of proof. */
import type { AbiFunction } from "@plumbline/contracts/abi/AbiType"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"
import { lazy, Suspense, useId, useState } from "react"

import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import * as PageSession from "../chain/PageSession.ts"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { AnchorMeaning } from "../parts/AnchorMeaning.tsx"
import type { ReadFailure } from "../parts/ReadState.tsx"
import { AcceptAnchor } from "../parts/ServiceAnchor.tsx"
import type { ReadCall } from "./ContractReads.ts"
import * as DecodedValue from "./DecodedValue.tsx"
import * as FunctionResult from "./FunctionResult.ts"
import type { ShownContract } from "./ShownContract.ts"

/** The button that makes the result VERIFIED. */
const OfferedAnchor = ({ network: name }: { readonly network: string }) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const network = start?.networks.find((one) => one.name === name)
  const anchor = network === undefined ? undefined : AcceptedTrust.announced(network)
  return network === undefined || anchor === undefined ? null : (
    <span className="offer">
      <AcceptAnchor network={network} /> <AnchorMeaning anchor={anchor} />
    </span>
  )
}

const CallLine = lazy(() => import("../microscope/CallLine.tsx").then(({ CallLine }) => ({ default: CallLine })))

interface Props extends ShownContract {
  /** True for a result that the reader asked for, which can be far below the verdict of the screen. */
  readonly isAsked?: boolean
  readonly item: AbiFunction
  readonly units: DecodedValue.TokenUnits | undefined
}

/** The result, once the call is read. */
export const CallResult = ({
  atom,
  ...props
}: Props & { readonly atom: Atom.Atom<AsyncResult.AsyncResult<ReadCall, ReadFailure>> }) => {
  const result = useAtom(atom)
  if (AsyncResult.isSuccess(result)) return <Read {...props} call={result.value} />
  if (AsyncResult.isFailure(result)) return <Failed cause={result.cause} again={() => registry.refresh(atom)} />
  return (
    <p className="quiet small" role="status">
      Calling …
    </p>
  )
}

const Read = ({
  at: { block, network, trust },
  call,
  chosen,
  isAsked = false,
  item,
  linkTrust,
  units
}: Props & { readonly call: ReadCall }) => {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const { basis, end, isVerified } = call
  const values = FunctionResult.valuesOf(item, end)
  const linkOf = { network, block: block.hash, trust: linkTrust }
  return (
    <div className="call-result" data-verdict={isVerified ? "VERIFIED" : "CLAIMED"}>
      <div className="call-values">
        {Result.isSuccess(values) ? (
          <DecodedValue.DecodedValues
            types={item.outputs}
            values={values.success}
            links={linkOf}
            units={DecodedValue.isAmount(item) ? units : undefined}
          />
        ) : (
          <Ended call={call} chosen={chosen} links={linkOf} problem={values.failure} />
        )}
      </div>
      <p className="small soft call-verdict">
        <VerdictWord word={isVerified ? "VERIFIED" : "CLAIMED"} />{" "}
        {basis === undefined ? (
          <span>the node's word: {call.why}</span>
        ) : (
          <button
            type="button"
            className="plain"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Hide the proof" : "Show the proof"}
          </button>
        )}
        {isAsked && !isVerified && basis !== undefined && trust === undefined ? (
          <OfferedAnchor network={network} />
        ) : null}
      </p>
      {basis === undefined ? null : (
        <div id={id} className="call-proof" hidden={!isOpen}>
          {isOpen ? (
            <>
              <p className="small soft">
                Run in this page by the rules of {basis.hardfork}, in the state after block {grouped(block.number)}:{" "}
                {grouped(basis.gasUsed)} gas, over {count(basis.accounts.length, "account")},{" "}
                {count(
                  basis.accounts.reduce((sum, { slots }) => sum + slots.length, 0),
                  "slot"
                )}{" "}
                and {count(basis.accounts.filter(({ code }) => code !== undefined).length, "code")}, all proven.
                {isVerified ? "" : " Only the node says that the block is on the chain."}
              </p>
              <Suspense fallback={<p className="quiet small">Loading the proof</p>}>
                <CallLine
                  basis={basis}
                  anchor={isVerified ? call.anchor : undefined}
                  network={network}
                  trust={linkTrust}
                  result={
                    Result.isSuccess(values)
                      ? DecodedValue.shortText(
                          item.outputs,
                          values.success,
                          DecodedValue.isAmount(item) ? units : undefined
                        )
                      : end._tag === "Returned"
                        ? "bytes"
                        : end._tag === "Reverted"
                          ? "reverted"
                          : "halted"
                  }
                />
              </Suspense>
            </>
          ) : null}
        </div>
      )}
    </div>
  )
}

/** A call that returned no values: a revert with its error, another end, or bytes that do not fit the ABI. */
const Ended = ({
  call: { end },
  chosen,
  links,
  problem
}: {
  readonly call: ReadCall
  readonly chosen: ShownContract["chosen"]
  readonly links: DecodedValue.ValueLinks
  readonly problem: string
}) => {
  switch (end._tag) {
    case "Halted":
      return <p className="strong">Failed: {end.halt}</p>
    case "Returned":
      return (
        <>
          <p className="strong">Not what the ABI says</p>
          <p className="small soft">{problem}</p>
          <p className="whole">{end.data === "0x" ? "no bytes" : end.data}</p>
        </>
      )
    case "Reverted": {
      const error = FunctionResult.errorOf(chosen.abi.errors, end.data)
      return (
        <>
          <p className="strong">
            Reverted{error === undefined ? "" : ": "}
            {error === undefined ? null : <code>{error.name}</code>}
          </p>
          {end.reason === undefined ? null : <p>{end.reason}</p>}
          {error === undefined ? (
            <p className="whole">{end.data === "0x" ? "without a reason" : end.data}</p>
          ) : end.reason === undefined ? (
            <DecodedValue.DecodedValues types={error.inputs} values={error.values} links={links} noun="argument" />
          ) : null}
        </>
      )
    }
  }
}

const Failed = ({ again, cause }: { readonly cause: Cause.Cause<ReadFailure>; readonly again: () => void }) => {
  const found = Cause.findError(cause)
  const error = Result.isSuccess(found) ? found.success : undefined
  const isRefuted = error?._tag === "RefutedError"
  return (
    <div className="call-result" data-verdict={isRefuted ? "REFUTED" : "FAILED"} role="alert">
      <p className="strong">{isRefuted ? "No value" : "No answer"}</p>
      <p className="small soft call-verdict">
        {isRefuted ? <VerdictWord word="REFUTED" /> : null}
        <span>{error === undefined ? "This page made a mistake." : error.message.slice(0, 300)}</span>
        <button type="button" className="plain" onClick={again}>
          Try again
        </button>
      </p>
    </div>
  )
}
