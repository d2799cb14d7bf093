/** The logs of a transaction, and the place to drop an ABI by which its call and logs are decoded. */
import { lazy, Suspense } from "react"

import { count } from "../look/TextFormats.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import type { ShownTransaction } from "./ShownTransaction.ts"

const DecodedLogs = lazy(() => import("../contract/DecodedLogs.tsx"))
const DropAbi = lazy(() => import("../contract/DropAbi.tsx"))

/** The section. */
export const TransactionLogs = ({
  shown: { decoding, item, receipt, transaction }
}: {
  readonly shown: ShownTransaction
}) => {
  const logs = receipt.value?.logs ?? []
  if (decoding === undefined) return null
  return (
    <section className="sheet" data-part="logs">
      <header>
        <h2>
          Logs <span>{logs.length === 0 ? "none" : count(logs.length, "log")}</span>
        </h2>
        <span className="row">
          {logs.length === 0 ? null : (
            <a className="small" href={item("receipts", "logs")}>
              Open them in the receipts trie
            </a>
          )}
          <VerdictWord word={receipt._tag} />
        </span>
      </header>
      <Suspense fallback={<p className="inset below-header quiet">Loading the decoder</p>}>
        {logs.length === 0 ? null : <DecodedLogs logs={logs} place={decoding} />}
        {logs.length === 0 && transaction.input === "0x" ? null : (
          <div className="inset ruled">
            <DropAbi />
          </div>
        )}
      </Suspense>
    </section>
  )
}
