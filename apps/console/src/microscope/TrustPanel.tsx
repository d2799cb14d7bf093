/** The panel in which the reader of a CLAIMED value enters a trusted hash, so that the value can be verified. */
import { useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { hangFrom } from "../parts/ServiceAnchor.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as TypedText from "../route/TypedText.ts"

/** The field for a hash. The anchor of the service and the hash of the block are offered beside the verdict. */
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
  const problem = TypedText.hashProblem(text.trim())
  const [isAsked, ask] = useState(false)
  const hang = (trust: string): void => hangFrom({ ...place, block: block.hash, trust, broken: undefined })
  return (
    <section className="sheet" aria-label="Give it something to hang from">
      <header>
        <h2>Give it something to hang from</h2>
      </header>
      <form
        className="inset stack below-header"
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
          <button type="submit" className="button">
            Hang it here
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
