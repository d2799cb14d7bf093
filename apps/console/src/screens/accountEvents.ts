/** The activity of an account in a block, by the block's lists, which its header proves. */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import * as EthTransaction from "@plumbline/eth-methods/model/Transaction"

/** One thing that happened. `index` is the place of the transaction, or of the withdrawal, in the block's list. */
export type AccountEvent =
  | {
      readonly _tag: "Sent" | "Received" | "Created"
      readonly index: number
      readonly hash: string
      /** The other account; null if there is none. */
      readonly other: string | null
      readonly wei: bigint
      readonly isFailed: boolean
    }
  | {
      /** An amount of a token, or one token of several: `amount` is then its id, and `isUnique` true. */
      readonly _tag: "TokenIn" | "TokenOut"
      readonly index: number
      readonly hash: string
      readonly other: string
      readonly token: string
      readonly amount: bigint
      readonly isUnique: boolean
    }
  | { readonly _tag: "Emitted"; readonly index: number; readonly hash: string; readonly logs: number }
  | { readonly _tag: "Withdrawal"; readonly index: number; readonly wei: bigint; readonly validator: bigint }

/** `Transfer(address,address,uint256)`, of ERC-20 and ERC-721. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Wei of one gwei, in which a withdrawal counts. */
const GWEI = 10n ** 9n

/** Returns the events in the order of the block. */
export const of = (
  address: string,
  block: Pick<EthBlock.WithTransactions, "transactions" | "withdrawals">,
  receipts: ReadonlyArray<Receipt.Receipt>
): ReadonlyArray<AccountEvent> => [
  ...block.transactions.flatMap((transaction, index) => ofTransaction(address, transaction, receipts[index], index)),
  ...(block.withdrawals ?? []).flatMap(({ address: to, amount, validatorIndex }, index): ReadonlyArray<AccountEvent> =>
    Hex.equals(to, address as Hex.Hex)
      ? [{ _tag: "Withdrawal", index, wei: amount * GWEI, validator: validatorIndex }]
      : []
  )
]

const ofTransaction = (
  address: string,
  transaction: EthTransaction.Transaction,
  receipt: Receipt.Receipt | undefined,
  index: number
): ReadonlyArray<AccountEvent> => {
  const is = (one: string | null | undefined): boolean => one?.toLowerCase() === address.toLowerCase()
  const events: Array<AccountEvent> = []
  const { hash } = transaction
  if (EthTransaction.isKnown(transaction)) {
    const { from, to, value: wei } = transaction
    const isFailed = receipt?.status === 0n
    if (is(from)) events.push({ _tag: "Sent", index, hash, other: to, wei, isFailed })
    if (is(to) && !is(from)) events.push({ _tag: "Received", index, hash, other: from, wei, isFailed })
    if (is(receipt?.contractAddress)) events.push({ _tag: "Created", index, hash, other: from, wei, isFailed })
  }
  const logs = receipt?.logs ?? []
  for (const { address: token, data, topics } of logs) {
    const [first, from, to, id] = topics
    // a transfer of ERC-20 has two indexed addresses and one word of data; in ERC-721 the word is a topic
    const word = topics.length === 3 && data.length === 66 ? data : data === "0x" ? id : undefined
    if (first?.toLowerCase() !== TRANSFER || from === undefined || to === undefined || word === undefined) continue
    const [sender, recipient] = [addressIn(from), addressIn(to)]
    const moved = { index, hash, token, amount: BigInt(word), isUnique: topics.length === 4 }
    if (is(sender)) events.push({ _tag: "TokenOut", other: recipient, ...moved })
    if (is(recipient)) events.push({ _tag: "TokenIn", other: sender, ...moved })
  }
  const own = logs.filter(({ address: emitter }) => is(emitter)).length
  if (own > 0) events.push({ _tag: "Emitted", index, hash, logs: own })
  return events
}

const addressIn = (topic: string): string => `0x${topic.slice(26)}`
