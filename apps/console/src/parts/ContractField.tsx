/** The first state of a screen about one contract: a field for the contract's address. */
import { type ReactNode, useState } from "react"

import type { ExampleContracts } from "../chain/ExampleContracts.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"
import { ExampleButton } from "./ExampleButton.tsx"
import { TypedField } from "./TypedField.tsx"

/** The field. `placeOf` returns the place of a contract. */
export const ContractField = ({
  children,
  example,
  more,
  network,
  placeOf,
  submit,
  title
}: {
  readonly network: string
  readonly title: string
  /** The text of the button. */
  readonly submit: string
  /** The contract of an embedded chain that is the example. Elsewhere it is one that the newest blocks call. */
  readonly example: keyof ExampleContracts
  readonly placeOf: (address: string) => ConsoleRoute.ConsoleRoute
  /** Shown below the buttons. */
  readonly more?: ReactNode
  readonly children: ReactNode
}) => {
  const [text, setText] = useState("")
  const address = text.trim()
  const problem = TypedText.addressProblem(address)
  const [isAsked, ask] = useState(false)
  return (
    <form
      className="sheet inset stack start"
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined) Router.go(placeOf(address.toLowerCase()))
        else ask(true)
      }}
    >
      <h1>{title}</h1>
      <p className="soft">{children}</p>
      <TypedField
        id="contract"
        label={`Address of a contract on ${network}`}
        value={text}
        onText={setText}
        problem={isAsked ? problem : undefined}
      />
      <p className="row wrap">
        <button type="submit" className="button primary">
          {submit}
        </button>
        <ExampleButton
          network={network}
          onExample={({ contract }, embedded) => setText(embedded?.[example] ?? contract?.address ?? "")}
        />
      </p>
      {more}
    </form>
  )
}
