import { assert, it } from "@effect/vitest"
import * as secondChainMethods from "@plumbline/second-chain-methods"

it("exports these names and no others", () => {
  const names = Object.entries(secondChainMethods).map(([name, value]) =>
    typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names.toSorted(), [
    "Block: AnyWithHashes AnyWithTransactions HashAndNumber ResourcePrice UnfinishedWithHashes UnfinishedWithTransactions WithHashes WithTransactions isSealed",
    "BlockId: BlockId Tag",
    "Broadcast: AccountDeployed DeployAccount Invoke Invoked",
    "Felt: Felt FeltError PRIME equals fromBigInt fromBigIntUnsafe fromHex fromHexUnsafe isFelt toBigInt",
    "FeltError",
    "FunctionCall: FunctionCall",
    "PendingTransactions: defaults make",
    "Receipt: ContractEvent FeePayment MessageToL1 Receipt",
    "SecondChainClient: SecondChainClient defaults layer layerUrl make",
    "SecondChainEvidence: DeployedAddress Signed TransactionHash",
    "SecondChainMethods: MAX_FELTS ResponseFlag group methods",
    "SecondChainReason: KeyUnknown LeftOut NotHashed PendingSaidByNode TooLong UnknownKind",
    "Selector: of",
    "Starknet: NAMESPACE group",
    "SyncStatus: SyncProgress SyncStatus",
    "Transaction: AllResourceBounds DataAvailabilityMode DeclareV0 DeclareV1 DeclareV2 DeclareV3 Deploy DeployAccountV1 DeployAccountV3 InvokeV0 InvokeV1 InvokeV3 L1Handler ResourceBounds Transaction Unknown caseOf isQuery",
    "Uint: U128 U64 isU128 isU64 toBigInt",
    "contractAddress",
    "isSignedBy",
    "senderOf",
    "transactionHash",
    "transactionPreimage",
    "verifyPending",
    "verifyTransaction"
  ])
})
