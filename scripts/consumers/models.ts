/**
 * The types of answers and parameters, as a program with ordinary settings sees them. `check-consumers` compiles this file
 * against the packed packages. The line after `// error: ` must have this error, and no other line may have one. An
 * ellipsis stands for a part of the message.
 */
import { type Block, type CallRequest, EthClient, type Receipt, Transaction } from "@plumbline/eth-methods"
import type { Transaction as SecondChain } from "@plumbline/second-chain-methods"
import * as Effect from "effect/Effect"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

// a misspelt field of an answer
export const misspelt = (block: Block.Block, receipt: Receipt.Receipt, header: Block.Header) => [
  // error: Property 'gasUsd' does not exist on type 'Block'. Did you mean 'gasUsed'?
  block.gasUsd,
  // error: Property 'statuz' does not exist on type 'Receipt'. Did you mean 'status'?
  receipt.statuz,
  // error: Property 'adress' does not exist on type 'Log'. Did you mean 'address'?
  receipt.logs[0]?.adress,
  // error: Property 'withdrawalRoot' does not exist on type 'Header'. Did you mean 'withdrawalsRoot'?
  header.withdrawalRoot
]
export const answers = Effect.gen(function* () {
  const eth = yield* EthClient.EthClient
  const block = yield* eth.getBlockByNumber("latest", { full: true })
  // error: Property 'baseFee' does not exist on type 'WithTransactions'.
  block?.baseFee
  holds<Same<NonNullable<typeof block>, Block.WithTransactions>>()
})

// a misspelt field of a parameter
const to = "0x00000000219ab540356cbb839cbe05303d7705fa"
// error: Object literal may only specify known properties, but 'dta' does not exist in type …. Did you mean to write 'data'?
export const request: CallRequest.CallRequest = { to, dta: "0x" }
export const called = Effect.gen(function* () {
  const eth = yield* EthClient.EthClient
  // error: Object literal may only specify known properties, but 'dta' does not exist in type …. Did you mean to write 'data'?
  yield* eth.call({ to, dta: "0x" })
  // error: Object literal may only specify known properties, and 'keys' does not exist in type 'AccessListItem'.
  yield* eth.call({ to, accessList: [{ address: to, keys: [] }] })
})

// the type of a transaction selects its kind
export const byType = (transaction: Transaction.Transaction) => {
  switch (transaction.type) {
    case 0n:
      return holds<Same<typeof transaction, Transaction.Legacy>>()
    case 1n:
      return holds<Same<typeof transaction, Transaction.AccessList>>()
    case 2n:
      return holds<Same<typeof transaction, Transaction.DynamicFee>>()
    case 3n:
      return holds<Same<typeof transaction, Transaction.Blob>>()
    case 4n:
      return holds<Same<typeof transaction, Transaction.SetCode>>()
    case 0x7en:
      return holds<Same<typeof transaction, Transaction.Deposit>>()
    case undefined:
      return holds<Same<typeof transaction, Transaction.Legacy | Transaction.Unknown>>()
    default:
      return holds<Same<typeof transaction, Transaction.Unknown>>()
  }
}
export const fees = (transaction: Transaction.Transaction) => {
  if (transaction.type === 2n) holds<Same<typeof transaction.maxFeePerGas, bigint>>()
  if (Transaction.isKnown(transaction)) holds<Same<typeof transaction.value, bigint>>()
  else holds<Same<typeof transaction.value, bigint | undefined>>()
  // error: Property 'maxFeePerGas' does not exist on type 'AccessList | Blob | Deposit | DynamicFee | Legacy | SetCode | Unknown'.
  return transaction.maxFeePerGas
}

// the second chain's kinds
export const byKind = (transaction: SecondChain.Transaction) => {
  if (transaction.type === "INVOKE") {
    holds<Same<typeof transaction, SecondChain.InvokeV0 | SecondChain.InvokeV1 | SecondChain.InvokeV3>>()
    // error: Property 'calldta' does not exist on type 'InvokeV0 | InvokeV1 | InvokeV3'. Did you mean 'calldata'?
    transaction.calldta
  }
  if (transaction.type === "INVOKE" && transaction.version === "0x3")
    holds<Same<typeof transaction, SecondChain.InvokeV3>>()
  if (transaction.type === "UNKNOWN") {
    holds<Same<typeof transaction, SecondChain.Unknown>>()
    holds<Same<(typeof transaction.sent)[string], unknown>>()
  }
}
