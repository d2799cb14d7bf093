import { assert, it } from "@effect/vitest"
import * as ethMethods from "@plumbline/eth-methods"

it("exports these names and no others", () => {
  const names = Object.entries(ethMethods).map(([name, value]) =>
    typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names.toSorted(), [
    "AccountProof: AccountProof StorageProof keyOf",
    "Block: Block Uncle WithHashes WithTransactions Withdrawal knownFields",
    "BlockParameter: BlockParameter ByHash ByNumber NumberOrTag Tag",
    "EthClient: EthClient make",
    "EthMethods: MAX_PROOF_KEYS eth_blockNumber eth_chainId eth_getBlockByHash eth_getBlockByNumber eth_getProof eth_getStorageAt eth_getTransactionByBlockHashAndIndex eth_getTransactionByHash eth_getUncleByBlockNumberAndIndex group",
    "Refuted",
    "SignatureScalar: SignatureScalar isSignatureScalar toBigInt",
    "StorageKey: StorageKey fromSlot",
    "Transaction: AccessList AccessListItem Authorization Blob DynamicFee Legacy SetCode Transaction Unknown chainIdOf isKnown typeOf",
    "Verified: claim",
    "VerifiedEthClient: VerifiedEthClient make",
    "verifyAccountProof",
    "verifyBlock",
    "verifyTransaction"
  ])
})
