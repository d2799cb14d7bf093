/** Shows a transaction next to its bytes, and its receipt with the logs. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthTransaction from "@plumbline/eth-methods/model/Transaction"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { useEffect } from "react"

import { NotShownError, NotThereError } from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import * as PageSession from "../chain/PageSession.ts"
import { read } from "../chain/ReadAtoms.ts"
import { Hash } from "../look/Hash.tsx"
import { count, ether, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { LeadVerdict } from "../parts/LeadVerdict.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { TrustOffer } from "../parts/TrustOffer.tsx"
import type { ProofSubject } from "../proof/ProofSubject.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { Claims } from "./Claims.tsx"
import { FieldBytes } from "./FieldBytes.tsx"

type TransactionRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Transaction" }>

const found = Atom.family((id: string) => {
  const [network = "", text = "", trust = ""] = id.split(" ")
  return read(
    { network, trust: trust === "" ? undefined : trust },
    Effect.gen(function* () {
      const chain = yield* NetworkClients
      const verdicts = yield* chain.verdicts
      const hash = Hash32.fromHexUnsafe(text.toLowerCase())
      const verdict = yield* verdicts.getTransactionByHash(hash)
      const transaction = verdict.value
      if (transaction === null) {
        const block = yield* chain.eth.getBlockByHash(hash)
        if (block !== null) return { _tag: "Block" } as const
        return yield* new NotThereError({
          what: "The hash",
          why: "is neither a transaction nor a block, as far as the node knows."
        })
      }
      if (!EthTransaction.isKnown(transaction)) {
        return yield* new NotShownError({
          what: "The transaction",
          why: "is of a type that this console does not know."
        })
      }
      const receipt = yield* verdicts.getTransactionReceipt(hash)
      const bytes = BlockRlp.encodeTransaction(transaction)
      return { _tag: "Transaction", verdict, transaction, receipt, bytes } as const
    })
  )
})

const Transaction = ({ place }: { readonly place: TransactionRoute }) => {
  const { hash, network, trust } = place
  const atom = found(`${network} ${hash} ${trust ?? ""}`)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what="the transaction" again={() => registry.refresh(atom)}>
      {(found) => {
        if (found._tag === "Block") return <ToBlock network={network} hash={hash} />
        const { bytes, receipt, transaction, verdict } = found
        const { blockHash, blockNumber, from, to, transactionIndex: index } = transaction
        const logs = receipt.value?.logs ?? []
        const link = (subject: ProofSubject): string =>
          ConsoleRoute.link({ _tag: "Proof", network, block: blockHash ?? "latest", subject, trust }).href
        const item = (list: "transactions" | "receipts", field: string): string =>
          link({ _tag: "Item", list, index: Number(index ?? 0n), field })
        const account = (address: string) =>
          ConsoleRoute.link({ _tag: "Account", network, address, block: blockHash ?? "latest", trust })
        const status = receipt.value?.status
        return (
          <div className="page explorer">
            <div className="lead">
              <div>
                <h1>{ether(transaction.value)}</h1>
                <p className="row wrap soft">
                  <span>
                    from <Hash hex={from} link={account(from)} />
                  </span>
                  <span>to {to === null ? "a new contract" : <Hash hex={to} link={account(to)} />}</span>
                  {blockNumber === null || blockHash === null ? (
                    <span>waiting for a block</span>
                  ) : (
                    <a href={ConsoleRoute.link({ _tag: "Block", network, block: blockHash, trust }).href}>
                      block {grouped(blockNumber)}, place {String(index)}
                    </a>
                  )}
                </p>
              </div>
              <LeadVerdict word={verdict._tag}>
                {verdict._tag === "VERIFIED"
                  ? EthTransaction.isDeposit(transaction)
                    ? "It is a deposit of the OP stack: its fields, the sender among them, hash to the hash that you asked for."
                    : "Its fields and signature hash to the hash that you asked for, and the signature gives the sender."
                  : "Only the node says this."}
              </LeadVerdict>
            </div>
            {bytes === undefined ? null : (
              <FieldBytes
                title={
                  <>
                    Transaction <span>type {Number(transaction.type ?? 0n)}</span>
                  </>
                }
                form="transactions"
                bytes={bytes}
                expected={hash}
                expectedName="the hash that you asked for"
                linkOf={(field) => item("transactions", field)}
              />
            )}
            <div style={{ height: 16 }} />
            <section className="sheet">
              <header>
                <h2>
                  Receipt{" "}
                  <span>
                    {receipt.value === null
                      ? "not there yet"
                      : `${status === 0n ? "failed" : status === undefined || status === null ? "ran" : "succeeded"}, ${grouped(receipt.value.gasUsed)} gas, ${count(logs.length, "log")}`}
                  </span>
                </h2>
                <VerdictWord word={receipt._tag} />
              </header>
              {receipt._tag === "VERIFIED" || receipt.value === null || blockHash === null ? null : (
                <p className="inset soft below-header">
                  Only the node says that the transaction is in a block of the chain.{" "}
                  <TrustOffer
                    network={network}
                    hash={blockHash}
                    label="Trust the hash of its block"
                    trust={trust}
                    placeOf={(trust) => ({ ...place, trust })}
                  />
                </p>
              )}
              {receipt.value === null ? null : (
                <p className="inset ruled row wrap">
                  <a href={item("receipts", "cumulativeGasUsed")}>Open its gas in the receipts trie</a>
                  {logs.length === 0 ? null : <a href={item("receipts", "logs")}>Open its logs</a>}
                </p>
              )}
              {logs.map((log, i) => (
                <div key={String(log.logIndex)} className="log">
                  <dl className="terms">
                    <dt>log {i}</dt>
                    <dd>
                      <Hash hex={log.address} link={account(log.address)} />
                    </dd>
                    {log.topics.map((topic, t) => (
                      // the order of topics never changes
                      // oxlint-disable-next-line react/no-array-index-key
                      <div key={t} style={{ display: "contents" }}>
                        <dt>topic {t}</dt>
                        <dd>
                          <Hash hex={topic} />
                        </dd>
                      </div>
                    ))}
                    <dt>data</dt>
                    <dd className="whole">{log.data.length > 260 ? `${log.data.slice(0, 258)}…` : log.data}</dd>
                  </dl>
                </div>
              ))}
            </section>
            <div style={{ height: 16 }} />
            <Claims
              claimed={[
                ...verdict.claimed,
                ...receipt.claimed.map((claim) => ({ ...claim, field: `receipt ${claim.field}` }))
              ]}
            />
          </div>
        )
      }}
    </ReadState>
  )
}

/**
 * Continues with the block of this hash, because a search first treats a hash as the hash of a transaction. The page
 * trusts the hash only if the reader typed it, because a hash in a link may come from a node.
 */
const ToBlock = ({ hash, network }: { readonly network: string; readonly hash: string }) => {
  const trust = useAtom(PageSession.typed) === hash ? hash : undefined
  useEffect(() => Router.go({ _tag: "Block", network, block: hash, trust }, { replace: true }), [network, hash, trust])
  return null
}

export default Transaction
