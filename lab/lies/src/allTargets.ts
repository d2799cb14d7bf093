/** Every target of `pnpm lab fuzz`. */
import * as Accounts from "./eth/fuzz/accounts.ts"
import * as Bundles from "./eth/fuzz/bundles.ts"
import * as Blocks from "./eth/fuzz/fuzzedBlocks.ts"
import * as Rlp from "./eth/fuzz/fuzzedRlp.ts"
import * as Receipts from "./eth/fuzz/receipts.ts"
import * as Storage from "./eth/fuzz/storage.ts"
import * as Transactions from "./eth/fuzz/transactions.ts"
import * as Tries from "./eth/fuzz/tries.ts"
import type { Target } from "./fuzzTarget.ts"
import * as IpfsCodecs from "./ipfs/fuzz/codecs.ts"
import * as IpfsPaths from "./ipfs/fuzz/paths.ts"
import * as IpfsReaders from "./ipfs/fuzz/readers.ts"
import * as LightClient from "./lightClient/lightClientFuzz.ts"
import * as SecondChain from "./secondChain/secondChainFuzz.ts"

export const targets: ReadonlyArray<Target> = [
  Blocks.block,
  Blocks.senders,
  Blocks.networkForm,
  Blocks.uncles,
  Receipts.receipts,
  Receipts.hashedReceipts,
  Receipts.receipt,
  Receipts.logs,
  Transactions.transaction,
  Accounts.accountProof,
  Accounts.state,
  Accounts.ancestor,
  Tries.trieProof,
  Rlp.rlp,
  Rlp.blockRlp,
  Rlp.transactionRlp,
  Rlp.receiptRlp,
  Storage.storage,
  Bundles.bundle,
  Bundles.forgedBundle,
  SecondChain.transaction,
  SecondChain.oldTransaction,
  ...IpfsCodecs.targets,
  ...IpfsReaders.targets,
  ...IpfsPaths.targets,
  LightClient.update
]
