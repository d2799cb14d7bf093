/** Lies about accounts and their storage. */
import * as Effect from "effect/Effect"

import * as Lie from "../lie/Lie.ts"
import * as Everywhere from "./everywhere.ts"

const WORD = `0x${"77".repeat(32)}`
const NO_CODE = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
const NO_STORAGE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

const STATE = ["eth_getBalance", "eth_getCode", "eth_getTransactionCount", "eth_getStorageAt"] as const

/** Answers a question about this block with the state of the previous block. */
const ofBlockBefore = (truth: unknown, { ask, method, params }: Lie.AskedCall) => {
  const at = params.length - 1
  const block = params[at]?.blockHash ?? params[at]?.blockNumber ?? params[at]
  const named = /^0x[0-9a-f]{64}$/iu.test(block) ? "eth_getBlockByHash" : "eth_getBlockByNumber"
  return ask(named, [block, false]).pipe(
    Effect.flatMap((block) =>
      block === null || BigInt(block.number) === 0n
        ? Effect.succeed(truth)
        : ask(method, params.with(at, `0x${(BigInt(block.number) - 1n).toString(16)}`))
    ),
    Effect.orElseSucceed(() => truth)
  )
}

export const lies: ReadonlyArray<Lie.Lie> = [
  Lie.make("balance", {
    about: "an account has more wei than it has, in its proof too",
    expected: "REFUTED",
    changes: Everywhere.account("eth_getBalance", "balance", "0xffffffffffffffffff")
  }),
  Lie.make("nonce", {
    about: "an account has sent more transactions than it has",
    expected: "REFUTED",
    changes: Everywhere.account("eth_getTransactionCount", "nonce", "0x9999")
  }),
  Lie.make("code", {
    about: "a contract has other code",
    expected: "REFUTED",
    changes: { eth_getCode: () => "0x6001600101" }
  }),
  Lie.make("storage", {
    about: "a slot holds another word, in its proof too",
    expected: "REFUTED",
    changes: {
      eth_getStorageAt: () => WORD,
      eth_getStorageValues: (words) =>
        Object.fromEntries(Object.entries<ReadonlyArray<string>>(words).map(([of, all]) => [of, all.map(() => WORD)])),
      eth_getProof: (proof) => ({
        ...proof,
        storageProof: proof.storageProof.map((slot: any) => ({ ...slot, value: WORD }))
      })
    }
  }),
  Lie.make("storage-proof-swap", {
    about: "a slot is answered with the proof of the slot after it",
    expected: "REFUTED",
    changes: {
      eth_getStorageAt: (_, { ask, params: [address, slot, block] }) =>
        ask("eth_getStorageAt", [address, after(slot), block]),
      eth_getProof: (truth, { ask, params: [address, slots, block] }) =>
        slots.length === 0
          ? truth
          : Effect.map(ask("eth_getProof", [address, slots.map(after), block]), (other) => ({
              ...truth,
              storageProof: other.storageProof.map((slot: any, i: number) => ({ ...slot, key: slots[i] }))
            }))
    }
  }),
  Lie.make("account-absent", {
    about: "an account does not exist: no wei, no code, nothing sent, nothing stored",
    expected: "REFUTED",
    changes: {
      eth_getBalance: () => "0x0",
      eth_getTransactionCount: () => "0x0",
      eth_getCode: () => "0x",
      eth_getStorageAt: () => `0x${"00".repeat(32)}`,
      eth_getProof: (proof) => ({
        ...proof,
        balance: "0x0",
        nonce: "0x0",
        codeHash: NO_CODE,
        storageHash: NO_STORAGE,
        storageProof: proof.storageProof.map((slot: any) => ({ ...slot, value: "0x0", proof: [] }))
      })
    }
  }),
  Lie.make("stale", {
    about: "the state is the one of the block before",
    expected: "REFUTED",
    changes: Object.fromEntries(STATE.map((method) => [method, ofBlockBefore]))
  }),
  Lie.make("truncated-proof", {
    about: "the last node of an account's proof is missing, and the account is said to be rich",
    expected: "REFUTED",
    changes: {
      eth_getBalance: () => "0xffffffffffffffffff",
      eth_getProof: (proof) => ({
        ...proof,
        balance: "0xffffffffffffffffff",
        accountProof: proof.accountProof.slice(0, -1)
      })
    }
  }),
  Lie.make("extra-proof-node", {
    about: "a proof goes on after its end, and the account is said to be rich",
    expected: "REFUTED",
    changes: {
      eth_getBalance: () => "0xffffffffffffffffff",
      eth_getProof: (proof) => ({
        ...proof,
        balance: "0xffffffffffffffffff",
        accountProof: [...proof.accountProof, proof.accountProof[0]]
      })
    }
  })
]

const after = (slot: string): string =>
  `0x${((BigInt(slot) + 1n) & ((1n << 256n) - 1n)).toString(16).padStart(64, "0")}`
