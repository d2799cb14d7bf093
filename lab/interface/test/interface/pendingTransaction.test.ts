import { assert } from "@effect/vitest"
import { StarknetPool, StarknetPoolAccounts } from "@plumbline/devnet"
import { Account, hash, RpcProvider } from "starknet"

import * as Ask from "../../src/ask.ts"
import { rpcUrl, type Target } from "../../src/target.ts"
import { section } from "../support/section.ts"

const call = { contractAddress: "0x1234", entrypoint: "transfer", calldata: ["0x99", "0x5", "0x0"] }
const resourceBounds = {
  l1_gas: { max_amount: 0n, max_price_per_unit: 0n },
  l1_data_gas: { max_amount: 0x80n, max_price_per_unit: 0x3b9aca00n },
  l2_gas: { max_amount: 0xf4240n, max_price_per_unit: 0x2540be400n }
}

const isHex = (value: unknown): void => assert.match(String(value), /^0x[0-9a-f]+$/u)

/** Returns the pending transaction that starknet.js made from a call. */
const executed = async (target: Target, account: StarknetPoolAccounts.StarknetPoolAccount) => {
  const provider = new RpcProvider({ nodeUrl: rpcUrl(target, "starknet-pool"), blockIdentifier: "pre_confirmed" })
  const signer = new Account({ provider, address: account.address, signer: account.privateKey, cairoVersion: "1" })
  const { transaction_hash } = await signer.execute(call, { tip: 0n, resourceBounds })
  const pending: ReadonlyArray<any> = await Ask.result(target, "starknet-pool", "starknet_pendingTransactions")
  return pending.find((transaction) => transaction.transaction_hash === transaction_hash)
}

section("Pending transaction object (second chain, result element of <second_chain_namespace>_pendingTransactions)", {
  "Observed fields, all strings unless stated: type (sample value is the enumerated word INVOKE), transaction_hash (hex), max_fee (hex), version (hex), signature (array of hex strings), nonce (hex), contract_address (hex), entry_point_selector (hex), calldata (array of hex strings).":
    async (target) => {
      const account = StarknetPoolAccounts.accounts[0]!
      const transaction = await executed(target, account)
      assert.strictEqual(transaction.type, "INVOKE")
      for (const field of ["transaction_hash", "version", "nonce"]) isHex(transaction[field])
      for (const field of ["signature", "calldata"]) transaction[field].forEach(isHex)
      // Version 3 has bounds instead of max_fee, and the sender instead of contract and selector.
      assert.strictEqual(transaction.version, "0x3")
      assert.strictEqual(transaction.sender_address, account.address)
      assert.include(transaction.calldata, hash.getSelectorFromName(call.entrypoint))
      const transactionHash = hash.calculateInvokeTransactionHash({
        senderAddress: transaction.sender_address,
        version: "0x3",
        compiledCalldata: transaction.calldata,
        chainId: StarknetPool.CHAIN_ID as never,
        nonce: transaction.nonce,
        accountDeploymentData: [],
        nonceDataAvailabilityMode: 0,
        feeDataAvailabilityMode: 0,
        resourceBounds,
        tip: 0n,
        paymasterData: []
      })
      assert.strictEqual(BigInt(transaction.transaction_hash), BigInt(transactionHash))
    }
})
