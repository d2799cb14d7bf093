/** Targets of `pnpm lab fuzz`: Ethereum's verifiers, tries and codecs. */
import type { Target } from "../target.ts"
import * as Accounts from "./fuzz/accounts.ts"
import * as Blocks from "./fuzz/blocks.ts"
import * as Bundles from "./fuzz/bundles.ts"
import * as Receipts from "./fuzz/receipts.ts"
import * as Rlp from "./fuzz/rlp.ts"
import * as Storage from "./fuzz/storage.ts"
import * as Transactions from "./fuzz/transactions.ts"
import * as Tries from "./fuzz/tries.ts"

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
  Bundles.forgedBundle
]
