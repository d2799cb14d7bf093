/** The balances of an account in tokens that the reader names, each by a call that this page runs. */
import * as Address from "@plumbline/codec/value/Address"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"
import { useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { Table, TableRow } from "../look/Table.tsx"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as TypedText from "../route/TypedText.ts"
import * as ContractReads from "./ContractReads.ts"
import type { DecodingPlace } from "./DecodedCall.tsx"
import * as FunctionResult from "./FunctionResult.ts"
import * as StandardAbis from "./StandardAbis.ts"
import TokenAmount from "./TokenAmount.tsx"

import "./contract.css"

/** The tokens that the reader named, by network. They are forgotten with the page. */
const named = Atom.family((_network: string) => Atom.keepAlive(Atom.make<ReadonlyArray<string>>([])))

const BALANCE_OF = StandardAbis.of("ERC-20").functions.find(({ name }) => name === "balanceOf")!

/** The form, and the balances. `place` is without the token's address. */
const TokenBalances = ({
  holder,
  place
}: {
  readonly holder: string
  readonly place: Omit<DecodingPlace, "address">
}) => {
  const tokens = useAtom(named(place.network))
  const [text, setText] = useState("")
  const [isAsked, ask] = useState(false)
  const token = text.trim()
  const problem = TypedText.addressProblem(token)
  return (
    <section className="sheet" data-part="tokens">
      <header>
        <h2>
          Tokens <span>no list of all tokens exists: name those that you look for</span>
        </h2>
      </header>
      {tokens.length === 0 ? null : (
        <Table columns={["Token", "Balance", { name: "Verdict", className: "end" }]}>
          {tokens.map((address) => (
            <Balance key={address} holder={holder} place={{ ...place, address }} />
          ))}
        </Table>
      )}
      <form
        className="inset ruled typed-row"
        onSubmit={(event) => {
          event.preventDefault()
          ask(problem !== undefined)
          if (problem !== undefined) return
          setAtom(named(place.network), [...new Set([...tokens, token.toLowerCase()])])
          setText("")
        }}
      >
        <TypedField
          id="token"
          aria-label="Address of a token"
          placeholder="Address of a token"
          value={text}
          onText={setText}
          problem={isAsked ? problem : undefined}
        />
        <button type="submit" className="button">
          Read the balance
        </button>
      </form>
    </section>
  )
}

const Balance = ({ holder, place }: { readonly holder: string; readonly place: DecodingPlace }) => {
  const { address, block, network, trust } = place
  const data = FunctionResult.dataOf(BALANCE_OF, [Address.fromHexUnsafe(holder).toLowerCase()])
  const result = useAtom(ContractReads.call({ ...place, data }))
  const answer = Option.getOrUndefined(AsyncResult.value(result))
  const values = answer === undefined ? undefined : FunctionResult.valuesOf(BALANCE_OF, answer.end)
  const balance = values !== undefined && Result.isSuccess(values) ? values.success[0] : undefined
  const linkTrust = block.isReached ? trust : undefined
  return (
    <TableRow
      data-token={address}
      cells={[
        <Hash
          key="token"
          hex={address}
          link={ConsoleRoute.link({ _tag: "Account", network, address, block: block.hash, trust: linkTrust })}
        />,
        typeof balance === "bigint" ? (
          <TokenAmount key="balance" amount={balance} place={place} />
        ) : AsyncResult.isInitial(result) ? (
          <span key="balance" className="quiet">
            Reading …
          </span>
        ) : (
          <span key="balance" className="soft">
            {AsyncResult.isFailure(result) ? "no answer" : "it does not answer balanceOf as a token does"}
          </span>
        ),
        answer === undefined ? null : <VerdictWord key="verdict" word={answer.isVerified ? "VERIFIED" : "CLAIMED"} />
      ]}
    />
  )
}

export default TokenBalances
