/** The panel in which the reader of a CLAIMED value enters a trusted hash, so that the value can be verified. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useState } from "react"

import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import * as PageSession from "../chain/PageSession.ts"
import { Hash } from "../look/Hash.tsx"
import { useAtom } from "../look/useAtom.ts"
import { AcceptAnchor, hangFrom } from "../parts/ServiceAnchor.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as TypedText from "../route/TypedText.ts"

/** The field for a hash, and the available anchors. */
export const TrustPanel = ({
  block,
  name,
  place,
  value,
  why
}: {
  readonly place: ConsoleRoute.ProofRoute
  readonly block: { readonly hash: string; readonly number: bigint }
  readonly why: string
  readonly value: string | undefined
  readonly name: string
}) => {
  const [text, setText] = useState("")
  const start = useAtom(PageSession.start)
  const networks = Option.match(AsyncResult.value(start), { onNone: () => [], onSome: ({ networks }) => networks })
  const network = networks.find(({ name }) => name === place.network)
  const anchor = network === undefined ? undefined : AcceptedTrust.announced(network)
  const problem = TypedText.hashProblem(text.trim())
  const [isAsked, ask] = useState(false)
  const hang = (trust: string): void => hangFrom({ ...place, block: block.hash, trust, broken: undefined })
  return (
    <section className="sheet" aria-label="Give it something to hang from">
      <header>
        <h2>Give it something to hang from</h2>
      </header>
      {network === undefined || anchor === undefined || place.trust === anchor.trust ? null : (
        <div className="inset stack below-header">
          <p className="soft">
            This service announces a {anchor.kind}: <Hash hex={anchor.hash} /> <br />
            {AcceptedTrust.MEANING}
          </p>
          <p>
            {place.trust === undefined ? (
              <AcceptAnchor network={network} />
            ) : (
              <button type="button" className="button" onClick={() => hang(anchor.trust)}>
                Hang it from this {anchor.kind}
              </button>
            )}
          </p>
        </div>
      )}
      <form
        className={anchor === undefined ? "inset stack below-header" : "inset stack"}
        onSubmit={(event) => {
          event.preventDefault()
          if (problem === undefined) hang(text.trim().toLowerCase())
          else ask(true)
        }}
      >
        <p className="soft">
          Name one block hash that you know to be on this chain: this block's, or that of a later one.
        </p>
        <TypedField
          id="trust"
          label="Block hash that you trust"
          value={text}
          onText={setText}
          problem={isAsked ? problem : undefined}
        />
        <p className="row wrap">
          <button type="submit" className="button primary">
            Hang it here
          </button>
          <button type="button" className="button" onClick={() => hang(block.hash)}>
            Trust this block's own hash
          </button>
        </p>
      </form>
      <div className="inset stack">
        <h3>What is proven without it</h3>
        <p className="soft">
          If block <Hash hex={block.hash} /> is on the chain, then {name} is {value ?? "absent"}.
        </p>
      </div>
      <div className="inset stack">
        <h3>What stays a claim</h3>
        <p className="soft">That this block is on the chain. Reason: {why}.</p>
      </div>
    </section>
  )
}
