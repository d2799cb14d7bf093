/** The outcome of a transaction: its block, its status and its fee, by the receipt. */
import { Age } from "../look/Age.tsx"
import { ether, grouped, gwei, percent } from "../look/TextFormats.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { RecordedChain } from "../parts/RecordedChain.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { Fact, Facts } from "./Facts.tsx"
import { Party } from "./Party.tsx"
import type { ShownTransaction } from "./ShownTransaction.ts"
import * as TransactionFee from "./transactionFee.ts"

/** The card. */
export const TransactionOutcome = ({ shown }: { readonly shown: ShownTransaction }) => {
  const { item, network, receipt, time, transaction, trust } = shown
  const { blockHash, blockNumber, gas, transactionIndex } = transaction
  const { value } = receipt
  if (value === null || blockHash === null || blockNumber === null) {
    return (
      <section className="sheet" data-part="outcome">
        <header>
          <h2>Outcome</h2>
          <div>
            <VerdictWord word="CLAIMED" />
          </div>
        </header>
        <p className="inset below-header soft">It waits for a block, as far as the node knows.</p>
      </section>
    )
  }
  const fee = TransactionFee.of(transaction, value, receipt.claimed)
  const { contractAddress, gasUsed, status } = value
  return (
    <section className="sheet" data-part="outcome">
      <header>
        <h2>Outcome</h2>
        <div>
          <VerdictWord word={receipt._tag} />
        </div>
      </header>
      <Facts>
        <Fact name="Status">
          <span className={`tx-status ${status === 0n ? "failed" : ""}`}>
            {status === 0n ? "✕ failed" : status === undefined || status === null ? "ran" : "✓ succeeded"}
          </span>
          {status === undefined || status === null ? (
            <span className="soft"> receipts of this age have no status</span>
          ) : null}
        </Fact>
        {time === undefined ? null : (
          <Fact name="Time">
            <Age seconds={time} /> <RecordedChain network={network} seconds={time} />
          </Fact>
        )}
        <Fact name="Block">
          <a href={ConsoleRoute.link({ _tag: "Block", network, block: blockHash, trust }).href}>
            {grouped(blockNumber)}
          </a>{" "}
          <span className="soft">place {String(transactionIndex)}</span>
        </Fact>
        <Fact name="Fee">
          {ether(fee.wei)}{" "}
          <span className="soft">
            {gwei(fee.price)} a gas{fee.ofBlobs === 0n ? "" : `, ${ether(fee.ofBlobs)} for blobs`}
          </span>{" "}
          {fee.isProven || receipt._tag === "CLAIMED" ? null : <VerdictWord word="CLAIMED" />}
        </Fact>
        <Fact name="Gas used">
          <a href={item("receipts", "cumulativeGasUsed")}>{grouped(gasUsed)}</a>{" "}
          <span className="soft">
            {percent(gasUsed, gas)} of {grouped(gas)}
          </span>
        </Fact>
        {contractAddress === undefined || contractAddress === null ? null : (
          <Fact name="New contract">
            <Party network={network} address={contractAddress} block={blockHash} trust={trust} />
          </Fact>
        )}
      </Facts>
    </section>
  )
}
