/** The transactions of a block, with the functions that they call. */
import * as EthTransaction from "@plumbline/eth-methods/model/Transaction"
import { lazy, type ReactNode, Suspense } from "react"

import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Hash } from "../look/Hash.tsx"
import { ether } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { fixedBy, type ShownBlock } from "./ShownBlock.ts"

const MethodName = lazy(() => import("../contract/MethodName.tsx"))

/** The section. */
export const BlockTransactions = ({ shown }: { readonly shown: ShownBlock }) => {
  const { transactions } = shown.block
  return (
    <section className="sheet">
      <header>
        <h2>
          Transactions{" "}
          <span>
            {transactions.length === 0
              ? "none, by transactionsRoot"
              : `${transactions.length}, ${fixedBy("transactionsRoot", "in order", shown.trust !== undefined)}`}
          </span>
        </h2>
      </header>
      {transactions.length === 0 ? null : (
        <VirtualTable
          label="Transactions of the block"
          total={transactions.length}
          height={720}
          figuresFrom={5}
          head={["#", "Transaction", "What", "From", "To", "Value"]}
          row={(index) => rowOf(shown, transactions[index]!, index)}
        />
      )}
    </section>
  )
}

const rowOf = (
  { account, network, proof, trust }: ShownBlock,
  transaction: EthTransaction.Transaction,
  index: number
): ReadonlyArray<ReactNode> => {
  const head = [
    index,
    <Hash
      key="hash"
      hex={transaction.hash}
      link={ConsoleRoute.link({ _tag: "Transaction", network, hash: transaction.hash, trust })}
    />
  ]
  if (!EthTransaction.isKnown(transaction)) {
    return [
      ...head,
      <span key="type" className="soft">
        of a type that this console does not know
      </span>,
      null,
      null,
      null
    ]
  }
  const { from, input, to, value } = transaction
  return [
    ...head,
    <What key="what" network={network} to={to} input={input} />,
    <Hash key="from" hex={from} link={account(from)} />,
    to === null ? (
      <span key="to" className="soft">
        a new contract
      </span>
    ) : (
      <Hash key="to" hex={to} link={account(to)} />
    ),
    <a key="value" href={proof({ _tag: "Item", list: "transactions", index, field: "value" })}>
      {ether(value)}
    </a>
  ]
}

/** The action of a transaction, in a word: the function that it calls, if a known ABI has it. */
const What = ({
  input,
  network,
  to
}: {
  readonly network: string
  readonly to: string | null
  readonly input: `0x${string}`
}) => {
  if (to === null) return <span className="soft">creates</span>
  if (input === "0x") return <span className="soft">sends</span>
  return (
    <Suspense fallback={<code className="soft">{input.slice(0, 10)}</code>}>
      <MethodName network={network} to={to} input={input} />
    </Suspense>
  )
}
