/**
 * The scene of each lie in the catalogue: the question that the page asks, the block that it trusts, and the value that
 * the microscope shows, if any.
 */
import type { NamedBlock, ExampleSubjects } from "../chain/ExampleSubjects.ts"
import type { RpcQuestion } from "../chain/Proving.ts"
import type { ProofSubject } from "../proof/ProofSubject.ts"

/** The topic under which the list shows a lie. */
export type LieTopic = "Accounts and storage" | "Blocks" | "Transactions" | "Receipts and logs" | "Advice" | "The line"

/** The scene of one lie. */
export interface LieScene {
  readonly questions: ReadonlyArray<RpcQuestion>
  /** The block whose hash the reader trusts. */
  readonly trusted: NamedBlock
  /** The value under the microscope; undefined if no line of hashes shows the lie. */
  readonly subject?: ProofSubject | undefined
  /** A sentence that says which answer the page itself makes in place of the service. */
  readonly note?: string | undefined
}

/** A lie's topic, and its scene on a stage. The scene is undefined if the stage lacks the subject of the lie. */
export interface LieScenario {
  readonly topic: LieTopic
  readonly scene: (stage: ExampleSubjects) => LieScene | undefined
}

const hex = (number: bigint): string => `0x${number.toString(16)}`

type Busy = NonNullable<ExampleSubjects["busy"]>

const onBusy =
  (make: (busy: Busy) => Omit<LieScene, "trusted">): LieScenario["scene"] =>
  ({ busy }) =>
    busy === undefined ? undefined : { ...make(busy), trusted: busy }

const sender = (method: string, field: "balance" | "nonce"): LieScenario => ({
  topic: "Accounts and storage",
  scene: onBusy(({ number, sender }) => ({
    questions: [{ method, params: [sender, hex(number)] }],
    subject: { _tag: "Account", address: sender.toLowerCase(), field }
  }))
})

const slot: LieScenario = {
  topic: "Accounts and storage",
  scene: ({ contract, head }) =>
    contract === undefined
      ? undefined
      : {
          questions: [{ method: "eth_getStorageAt", params: [contract.address, contract.slot, hex(head.number)] }],
          trusted: head,
          subject: { _tag: "Slot", address: contract.address.toLowerCase(), slot: contract.slot }
        }
}

const byHash = ({ hash }: NamedBlock): ReadonlyArray<RpcQuestion> => [
  { method: "eth_getBlockByHash", params: [hash, true] }
]

const header = (field: string): LieScenario => ({
  topic: "Blocks",
  scene: onBusy((busy) => ({ questions: byHash(busy), subject: { _tag: "Header", field } }))
})

const byNumber = (times = 1): LieScenario => ({
  topic: "Blocks",
  scene: onBusy(({ number }) => ({
    questions: Array.from({ length: times }, () => ({ method: "eth_getBlockByNumber", params: [hex(number), true] }))
  }))
})

const transaction = (field?: string): LieScenario => ({
  topic: "Transactions",
  scene: onBusy(({ transaction }) => ({
    questions: [{ method: "eth_getTransactionByHash", params: [transaction] }],
    subject: field === undefined ? undefined : { _tag: "Item", list: "transactions", index: 0, field }
  }))
})

type Logged = NonNullable<ExampleSubjects["logged"]>

const onLogged =
  (make: (logged: Logged) => Omit<LieScene, "trusted">): LieScenario["scene"] =>
  ({ logged }) =>
    logged === undefined ? undefined : { ...make(logged), trusted: logged.block }

const receipt = (field?: string): LieScenario => ({
  topic: "Receipts and logs",
  scene: onLogged(({ hash, index }) => ({
    questions: [{ method: "eth_getTransactionReceipt", params: [hash] }],
    subject: field === undefined ? undefined : { _tag: "Item", list: "receipts", index, field }
  }))
})

const logs: LieScenario = {
  topic: "Receipts and logs",
  scene: onLogged(({ block, from }) => ({
    questions: [{ method: "eth_getLogs", params: [{ fromBlock: hex(from), toBlock: hex(block.number) }] }]
  }))
}

const advice = (method: string, params: ReadonlyArray<unknown> = []): LieScenario => ({
  topic: "Advice",
  scene: ({ head }) => ({ questions: [{ method, params }], trusted: head })
})

const fault: LieScenario = {
  topic: "The line",
  scene: ({ head }) => ({ questions: byHash(head), trusted: head })
}

/** A signed transaction for chain 1, as an example. It is not sent. */
const RAW =
  "0x02f868018203e801843b9aca008252089411111111111111111111111111111111111111110180c001a0714d1cd98e82914853920319c3d446015dba8bd02a4f6102a9a9688cebf07fb7a04126426c7cead4f63fbdffdfef8d3893c75ddd6e82c6e7de6639b6ae7bd52cb5"

/** The telling of each lie, keyed by the name of the lie. */
export const lieScenarios: Readonly<Record<string, LieScenario>> = {
  balance: sender("eth_getBalance", "balance"),
  nonce: sender("eth_getTransactionCount", "nonce"),
  code: {
    topic: "Accounts and storage",
    scene: ({ contract, head }) =>
      contract === undefined
        ? undefined
        : {
            questions: [{ method: "eth_getCode", params: [contract.address, hex(head.number)] }],
            trusted: head,
            subject: { _tag: "Account", address: contract.address.toLowerCase(), field: "code" }
          }
  },
  storage: slot,
  "storage-proof-swap": slot,
  "account-absent": sender("eth_getTransactionCount", "nonce"),
  stale: sender("eth_getTransactionCount", "nonce"),
  "truncated-proof": sender("eth_getBalance", "balance"),
  "extra-proof-node": sender("eth_getBalance", "balance"),
  "block-timestamp": header("timestamp"),
  "block-forged": byNumber(),
  "block-swap": byNumber(),
  "parent-hash": header("parentHash"),
  "state-root": header("stateRoot"),
  "bloom-clear": {
    topic: "Blocks",
    scene: onLogged(({ block }) => ({ questions: byHash(block), subject: { _tag: "Header", field: "logsBloom" } }))
  },
  "transaction-drop": {
    topic: "Blocks",
    scene: onBusy((busy) => ({
      questions: byHash(busy),
      subject: { _tag: "Item", list: "transactions", index: 0, field: "" }
    }))
  },
  "uncle-add": { topic: "Blocks", scene: onBusy((busy) => ({ questions: byHash(busy) })) },
  "withdrawal-amount": {
    topic: "Blocks",
    scene: ({ withdrawals }) =>
      withdrawals === undefined
        ? undefined
        : {
            questions: byHash(withdrawals),
            trusted: withdrawals,
            subject: { _tag: "Item", list: "withdrawals", index: 0, field: "amount" }
          }
  },
  equivocation: byNumber(2),
  "chain-id": { ...advice("eth_chainId"), topic: "Blocks" },
  "tx-value": transaction("value"),
  "tx-from": transaction(),
  "tx-to": transaction("to"),
  "tx-input": transaction("input"),
  "tx-index": transaction(),
  "tx-block": transaction(),
  "access-list-extra": {
    topic: "Transactions",
    scene: ({ listed }) =>
      listed === undefined
        ? undefined
        : {
            questions: [{ method: "eth_getTransactionByHash", params: [listed.hash] }],
            trusted: listed.block,
            subject: { _tag: "Item", list: "transactions", index: listed.index, field: "accessList" }
          }
  },
  "sent-hash": {
    topic: "Transactions",
    scene: ({ head }) => ({
      questions: [{ method: "eth_sendRawTransaction", params: [RAW] }],
      trusted: head,
      note: "No transaction is sent: the page itself answers as an honest node would, and then tells the lie."
    })
  },
  "receipt-status": receipt("status"),
  "receipt-gas": receipt(),
  "receipt-contract": receipt(),
  "receipt-drop": {
    topic: "Receipts and logs",
    scene: onLogged(({ block, index }) => ({
      questions: [{ method: "eth_getBlockReceipts", params: [block.hash] }],
      subject: { _tag: "Item", list: "receipts", index, field: "" }
    }))
  },
  "log-drop": logs,
  "log-drop-everywhere": {
    topic: "Receipts and logs",
    scene: (stage) => {
      const scene = logs.scene(stage)
      const at = stage.logged
      return scene === undefined || at === undefined
        ? undefined
        : { ...scene, subject: { _tag: "Item", list: "receipts", index: at.index, field: "logs" } }
    }
  },
  "log-add": logs,
  "log-data": {
    topic: "Receipts and logs",
    scene: (stage) => {
      const scene = logs.scene(stage)
      const at = stage.logged
      return scene === undefined || at === undefined
        ? undefined
        : { ...scene, subject: { _tag: "Item", list: "receipts", index: at.index, field: "logs" } }
    }
  },
  "log-address": logs,
  "log-order": logs,
  "logs-range-short": logs,
  "head-old": advice("eth_blockNumber"),
  gas: advice("eth_gasPrice"),
  null: { topic: "Advice", scene: ({ head }) => ({ questions: byHash(head), trusted: head }) },
  "call-result": {
    topic: "Advice",
    scene: ({ busy, contract, head }) => ({
      questions: [
        {
          method: "eth_call",
          params: [{ to: contract?.address ?? busy?.sender ?? `0x${"00".repeat(20)}`, data: "0x" }, hex(head.number)]
        }
      ],
      trusted: head,
      note: "This page runs calls itself and does not ask the node for their results, so elsewhere in the page this lie has no effect. Here the page asks the node. If the network does not run code, the page answers in its place with the word 1, and then tells the lie."
    })
  },
  slow: fault,
  cut: fault,
  "wrong-id": fault,
  html: fault,
  huge: fault
}
