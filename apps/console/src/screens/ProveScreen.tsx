/** The start of a proof: the reader chooses the kind of a value, and names its subject. */
import { useState } from "react"

import type { ExampleContracts } from "../chain/ExampleContracts.ts"
import type { ExampleSubjects } from "../chain/ExampleSubjects.ts"
import { ExampleButton } from "../parts/ExampleButton.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"

/** A kind of value. */
interface Provable {
  readonly name: string
  /** A sentence about the way to the value. */
  readonly says: string
  /** The name of the field. */
  readonly label: string
  /** The text of the button. */
  readonly submit: string
  readonly problemOf: (text: string) => string | undefined
  readonly placeOf: (network: string, text: string) => ConsoleRoute.ConsoleRoute
  /** Returns an existing subject; undefined if the network's newest blocks have none. */
  readonly exampleOf: (subjects: ExampleSubjects, embedded: ExampleContracts | undefined) => string | undefined
}

/** The kinds of values, in the order in which people ask for them. */
const PROVABLE: ReadonlyArray<Provable> = [
  {
    name: "Balance",
    says: "The ether of an account in the newest block, by the tree of all accounts.",
    label: "Address of the account",
    submit: "Prove the balance",
    problemOf: TypedText.addressProblem,
    placeOf: (network, address) => ({
      _tag: "Proof",
      network,
      block: "latest",
      subject: { _tag: "Account", address: address.toLowerCase(), field: "balance" }
    }),
    exampleOf: ({ busy }) => busy?.sender
  },
  {
    name: "Token or call",
    says: "The result of a contract's function, such as the balance of a token. The page runs the call itself, over state that is proven, and needs no file for tokens.",
    label: "Address of the contract",
    submit: "Choose the function",
    problemOf: TypedText.addressProblem,
    placeOf: (network, address) => ({ _tag: "Contract", network, address: address.toLowerCase(), block: "latest" }),
    exampleOf: ({ contract }, embedded) => embedded?.token ?? contract?.address
  },
  {
    name: "Variable",
    says: "A variable of a contract by its name, from its storage. The next screen says where the layout with the names comes from.",
    label: "Address of the contract",
    submit: "Choose the variable",
    problemOf: TypedText.addressProblem,
    placeOf: (network, address) => ({ _tag: "Storage", network, address: address.toLowerCase(), block: "latest" }),
    exampleOf: ({ contract }, embedded) => embedded?.cabinet ?? contract?.address
  },
  {
    name: "Transaction",
    says: "That a transaction is in a block, and what became of it: its status, gas and logs.",
    label: "Hash of the transaction",
    submit: "Prove the transaction",
    problemOf: TypedText.hashProblem,
    placeOf: (network, hash) => ({ _tag: "Transaction", network, hash }),
    exampleOf: ({ busy }) => busy?.transaction
  },
  {
    name: "Block",
    says: "The fields of a block's header, and the lists that its roots cover.",
    label: "Number, hash or tag of the block",
    submit: "Prove the block",
    problemOf: TypedText.blockProblem,
    placeOf: (network, block) => ({ _tag: "Block", network, block }),
    exampleOf: ({ busy, head }) => String((busy ?? head).number)
  }
]

const Prove = ({ network }: { readonly network: string }) => {
  const [chosen, choose] = useState(PROVABLE[0]!)
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  return (
    <div className="page">
      <form
        className="sheet inset stack start"
        onSubmit={(event) => {
          event.preventDefault()
          const typed = text.trim()
          const problem = chosen.problemOf(typed)
          setProblem(problem)
          if (problem === undefined) Router.go(chosen.placeOf(network, typed))
        }}
      >
        <h1>Prove a value</h1>
        <p className="soft">
          From a block hash that you trust down to the value, every step is hashed in this page. What do you want to
          prove?
        </p>
        <div className="pills" role="group" aria-label="Kind of value">
          {PROVABLE.map((one) => (
            <button
              key={one.name}
              type="button"
              aria-pressed={one === chosen}
              onClick={() => {
                // an address stays for the other kinds that have one
                if (one.problemOf !== chosen.problemOf) setText("")
                setProblem(undefined)
                choose(one)
              }}
            >
              {one.name}
            </button>
          ))}
        </div>
        <p className="soft" role="status">
          {chosen.says}
        </p>
        <TypedField
          id="subject"
          label={`${chosen.label} on ${network}`}
          placeholder={chosen.name === "Block" ? "latest" : "0x…"}
          value={text}
          onText={setText}
          problem={problem}
        />
        <p className="row wrap">
          <button type="submit" className="button primary">
            {chosen.submit}
          </button>
          <ExampleButton
            key={chosen.name}
            network={network}
            onExample={(subjects, embedded) => {
              const example = chosen.exampleOf(subjects, embedded)
              setProblem(example === undefined ? `The newest blocks of ${network} have no example.` : undefined)
              if (example !== undefined) setText(example)
            }}
          />
        </p>
      </form>
    </div>
  )
}

export default Prove
