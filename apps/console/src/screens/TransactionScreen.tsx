/** Shows a transaction: what was signed, what became of it, its logs, and its bytes. */
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
import { Fold } from "../look/Fold.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, ether } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { hangFrom } from "../parts/ServiceAnchor.tsx"
import { Anchored, VerdictStrip } from "../parts/VerdictStrip.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { Claims } from "./Claims.tsx"
import { FieldBytes } from "./FieldBytes.tsx"
import type { ShownTransaction } from "./ShownTransaction.ts"
import { TransactionLogs } from "./TransactionLogs.tsx"
import { TransactionOutcome } from "./TransactionOutcome.tsx"
import { TransactionSigned } from "./TransactionSigned.tsx"

import "./explorer.css"

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
      // the header of the block has the time
      const { blockHash } = transaction
      const header = blockHash === null ? undefined : (yield* verdicts.getBlockByHash(blockHash)).value
      const bytes = BlockRlp.encodeTransaction(transaction)
      return { _tag: "Transaction", verdict, transaction, receipt, time: header?.timestamp, bytes } as const
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
        const { bytes, receipt, time, transaction, verdict } = found
        const { blockHash, blockNumber } = transaction
        const isOnChain = receipt._tag === "VERIFIED"
        const linkTrust = isOnChain ? trust : undefined
        const item: ShownTransaction["item"] = (list, field) =>
          ConsoleRoute.link({
            _tag: "Proof",
            network,
            block: blockHash ?? "latest",
            subject: { _tag: "Item", list, index: Number(transaction.transactionIndex ?? 0n), field },
            trust: linkTrust
          }).href
        const shown: ShownTransaction = {
          network,
          trust: linkTrust,
          transaction,
          word: verdict._tag,
          receipt,
          time,
          item,
          decoding:
            blockHash === null || blockNumber === null
              ? undefined
              : { network, trust, block: { hash: blockHash, number: blockNumber, isReached: isOnChain } }
        }
        return (
          <div className="page explorer">
            <div className="lead">
              <div>
                <h1>{titleOf(transaction)}</h1>
                <p className="row wrap">
                  <Hash hex={hash} />
                </p>
              </div>
              <VerdictStrip
                word={isOnChain && verdict._tag === "VERIFIED" ? "VERIFIED" : "CLAIMED"}
                hangsFrom={
                  isOnChain && trust !== undefined && blockHash !== null ? (
                    <Anchored anchor={receipt.anchor} hash={blockHash} trust={trust} />
                  ) : undefined
                }
                offer={
                  isOnChain || blockHash === null
                    ? undefined
                    : {
                        network,
                        hash: blockHash,
                        label: "Trust the hash of its block",
                        trust,
                        placeOf: (trust) => ({ ...place, trust })
                      }
                }
              >
                {sentenceOf(shown, isOnChain)}
              </VerdictStrip>
            </div>
            <div className="abreast">
              <TransactionSigned shown={shown} />
              <TransactionOutcome shown={shown} />
            </div>
            {receipt.value === null || shown.decoding === undefined ? null : <TransactionLogs shown={shown} />}
            {bytes === undefined ? null : (
              <Fold title="Fields and bytes" note={`${count(bytes.length, "byte")}, each with its field`}>
                {() => (
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
              </Fold>
            )}
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

const titleOf = ({ input, to, value }: EthTransaction.KnownTransaction): string =>
  to === null ? "A new contract" : value > 0n || input === "0x" ? ether(value) : "A call"

const sentenceOf = ({ receipt, transaction, word }: ShownTransaction, isOnChain: boolean): string => {
  const signed =
    word !== "VERIFIED"
      ? "Only the node says what was signed"
      : EthTransaction.isDeposit(transaction)
        ? "It is a deposit of the OP stack: its fields, the sender among them, hash to the hash that you asked for"
        : "Its fields and signature hash to the hash that you asked for, and the signature gives the sender"
  if (receipt.value === null) return `${signed}. As far as the node knows, it is in no block yet.`
  return isOnChain
    ? `${signed}. Its receipt is in a block that follows from your trust.`
    : `${signed}. That it is in a block of the chain, and what became of it, only the node says.`
}

/**
 * Continues with the block of this hash, because a search first treats a hash as the hash of a transaction. The page
 * trusts the hash only if the reader typed it, because a hash in a link may come from a node.
 */
const ToBlock = ({ hash, network }: { readonly network: string; readonly hash: string }) => {
  const trust = useAtom(PageSession.typed) === hash ? hash : undefined
  useEffect(() => hangFrom({ _tag: "Block", network, block: hash, trust }, { replace: true }), [network, hash, trust])
  return null
}

export default Transaction
