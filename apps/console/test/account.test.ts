/** The words about an account. */
import { Account } from "@plumbline/eth-methods/proof/EthEvidence"
import { expect, test } from "vitest"

import * as AccountState from "../src/proof/AccountState.ts"

const HASH = `0x${"ab".repeat(32)}`
const ADDRESS = `0x${"cd".repeat(20)}` as Parameters<typeof Account>[0]["address"]
const evidence = (exists: boolean) =>
  Account({ address: ADDRESS, exists, proof: { root: HASH, key: ADDRESS, nodes: [] } as never })
const empty = { balance: 0n, nonce: 0n, codeBytes: 0 }

test("an account is absent by its proof, and without a proof by its empty fields", () => {
  expect(AccountState.of({ ...empty, proven: [evidence(false)] })).toBe("absent")
  expect(AccountState.of({ ...empty, proven: [evidence(true)] })).toBe("without code")
  expect(AccountState.of({ ...empty, proven: [] })).toBe("absent")
  expect(AccountState.of({ ...empty, nonce: 1n, proven: [] })).toBe("without code")
  expect(AccountState.of({ ...empty, codeBytes: 1, proven: [evidence(true)] })).toBe("contract")
})

test("an absent account is never said to be in the state, and its zeros come with a warning", () => {
  for (const word of ["VERIFIED", "CLAIMED"] as const) {
    expect(AccountState.sentenceOf("absent", word)).toContain("There is no account")
    expect(AccountState.sentenceOf("absent", word)).not.toContain("The account is")
    expect(AccountState.sentenceOf("contract", word)).toContain("The account is in the state")
  }
  expect(AccountState.warningOf("absent", "variable")).toContain("each variable reads as zero. Check the address.")
  expect(AccountState.warningOf("without code", "variable")).toContain("not a contract")
  expect(AccountState.warningOf("without code", "field")).toBeUndefined()
  expect(AccountState.warningOf("contract", "variable")).toBeUndefined()
})
