/** The way to the variables of an example contract, whose layout the console has. */
import { useState } from "react"

import * as ExampleContracts from "../chain/ExampleContracts.ts"
import { useExampleContracts } from "../parts/useExampleContracts.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { chooseExample } from "../variables/useLayout.ts"

/** The button, with a word about the contract. Nothing on a chain without examples. */
export const ExampleVariables = ({ place }: { readonly place: ConsoleRoute.StorageRoute }) => {
  const { network } = place
  const [isMissing, setMissing] = useState(false)
  const examples = useExampleContracts(network)
  if (examples === undefined) return null
  const own = ExampleContracts.at(examples, place.address)
  const example = examples[own ?? "cabinet"]
  const name = ExampleContracts.NAMES[own ?? "cabinet"]
  const show = async (): Promise<void> => {
    const isThere = await chooseExample(network, example, name)
    setMissing(!isThere)
    if (!isThere || own !== undefined) return
    // at the latest block, because this one can be older than the example
    Router.go({ _tag: "Storage", network, address: example, block: "latest" })
    scrollTo(0, 0)
  }
  return (
    <p className="row wrap mt-4">
      <button type="button" className="button" onClick={() => void show()}>
        {own === undefined ? "Try it with Cabinet" : `Use the layout of ${name}`}
      </button>
      <span className="small soft" role="status">
        {isMissing ? "This console was built without the example." : "an example contract of this chain"}
      </span>
    </p>
  )
}
