import { assert, it } from "@effect/vitest"
import * as ethMethods from "@plumbline/eth-methods"

it("exports these names and no others", () => {
  const names = Object.entries(ethMethods).map(([name, value]) =>
    typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names.toSorted(), [
    "AccessListResult: AccessListResult",
    "AccountProof: AccountProof StorageProof complete echo keyOf",
    "Ancestry: defaults reach",
    "BaseFee: next",
    "Block: Block Header Uncle WithHashes WithTransactions Withdrawal headerFields knownFields onlyHashes",
    "BlockParameter: BlockParameter ByHash ByNumber NumberOrTag Tag isPending",
    "BlockRlp: BlockRlpError assemble decode decodeHeader decodeReceipts decodeTransaction encode encodeHeader encodeReceipt encodeTransaction headerFields split transactionHashes",
    "BlockRlpError",
    "CallEngine: CallEngine",
    "CallError: CallError",
    "CallOutcome: revertMessage toAnswer",
    "CallOverrides: AccountOverride BlockOverride StateOverride",
    "CallRequest: CallRequest",
    "Capabilities: Capabilities",
    "ChainConfig: ChainConfig",
    "EthClient: EthClient all checked layer layerUrl make",
    "EthEvidence: AccessListRun Account AncestorOf CallRun Count GasEstimated HeaderHash Included Linked ListRoot LogsOfRange LogsOfReceipts Member NoLogsByBloom NoWithdrawals OfAccount OnChain ReceiptsOfTransactions Senders SignedBy SimulationRun Size Slots TransactionHash Word Words isAbsent",
    "EthFilters: eth_getFilterChanges eth_getFilterLogs eth_newBlockFilter eth_newFilter eth_newPendingTransactionFilter eth_uninstallFilter group",
    "EthMethod: make param requests respell withDefaults",
    "EthMethods: MAX_CALL_VALUES MAX_PERCENTILES MAX_PROOF_KEYS MAX_WAIT all eth_accounts eth_baseFee eth_blobBaseFee eth_blockNumber eth_call eth_capabilities eth_chainId eth_config eth_createAccessList eth_estimateGas eth_feeHistory eth_gasPrice eth_getBalance eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode eth_getLogs eth_getProof eth_getStorageAt eth_getStorageValues eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber eth_maxPriorityFeePerGas eth_sendRawTransaction eth_sendRawTransactionSync eth_simulateV1 eth_syncing find group net_listening net_peerCount net_version reads web3_clientVersion web3_sha3",
    "EthReason: AncestorUnknown AncestorUnprovable AnotherHash BlobSchedule BlockGone BlockUnknown CallNotRun Canonical CreationOutcome EffectivePrice HashesOnly ItemsUnprovable LogsMayBe LogsOfBlock NamedBlockUnknown NoCallEngine NoProofKnown NoTrust NotBefore NotCovered NotOnChain OtherOutcome ParentUnknown Pending PendingBlock PendingWithoutHash Place ProofRefused RangeReversed RangeTooLong ReceiptOf ReceiptsUnknown RootsNotSent SealNotSent SendersNotRecovered SizeOfParts SizeWithoutWithdrawals StateSync Tag TooFar TotalDifficulty TransactionByHashOnly TransactionUnknown TrustedBlockUnknown TrustedNodeLacks UncleHashesOnly UnclesOfUncle UnknownReceiptType UnknownTransactionType Unsigned WithdrawalsNotSent WithdrawalsRootOfOther",
    "EthSubscriptions: logs newHeads newPendingTransactions",
    "FeeHistory: FeeHistory",
    "Input: Address Hash32 faultOfAddress withoutChecksums",
    "L1Attributes: CONTRACT DEPOSITOR L1AttributesError decode sourceHashOf",
    "Log: Log knownFields",
    "LogFilter: LogFilter MAX_ALTERNATIVES MAX_TOPICS MAX_VALUES OfBlock OfRange Selection selector trimmed",
    "LogsBloom: SIZE mayMatch ofEach union",
    "NoBlockError: NoBlockError",
    "OnlyProven: from",
    "ProvenEthClient: ProvenEthClient defaults layer layerUrl make",
    "Receipt: Receipt hasHashedNonce knownFields rootOf typeOf",
    "SenderRecovery: SenderRecovery noble",
    "SentTransaction: hash",
    "SignatureScalar: SignatureScalar isSignatureScalar toBigInt",
    "Simulation: SimulatedBlock SimulatedCall SimulatedLog SimulationRequest",
    "StorageKey: StorageKey fromSlot",
    "StorageValues: MAX_SLOTS StorageValues StorageValuesRequest",
    "StorageWord: StorageWord",
    "SyncStatus: SyncProgress SyncStatus",
    "Transaction: AccessList AccessListItem Authorization Blob Deposit DynamicFee Legacy SetCode Transaction Unknown chainIdOf isDeposit isKnown typeOf",
    "TrustRelation: make mayImprove unprovenBy",
    "TrustedBlock: TrustedBlock layerNone layerOperator layerPinned layerQuorum",
    "VerdictEthClient: VerdictEthClient defaults layer layerUrl make",
    "Verify: account ancestor ancestorQuestion balance block code isEthereum logs provenHeader receipt receipts storageAt storageValues transaction transactionCount uncle uncles",
    "WholeBlocks: make"
  ])
})
