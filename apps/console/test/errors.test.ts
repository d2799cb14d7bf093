/** The words of errors, and of titles. */
import { expect, test } from "vitest"

import * as ChainError from "../src/chain/ChainError.ts"
import { summaryOf } from "../src/pending/pendingSummary.ts"
import { title } from "../src/route/ConsoleRoute.ts"

const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))

test("an unknown network is quoted, and all networks are listed", () => {
  const { message } = ChainError.noNetwork("settings", "blocks", named("live", "history"), named("starknet-pool"))
  expect(message).toBe('This service has no network "settings". It has live, history, starknet-pool.')
})

test("the address of user tokens without a project says where they are", () => {
  const { message } = ChainError.noNetwork("tokens", "blocks", named("live"), named())
  expect(message).toBe(
    'This service has no network "tokens". It has live. The user tokens of a project are on its page, under Projects.'
  )
})

test("a network of the other kind is not said to be missing, and is not listed", () => {
  const { message } = ChainError.noNetwork("starknet-pool", "blocks", named("live"), named("starknet-pool"))
  expect(message).toBe('This service has no network "starknet-pool" with blocks. It has live.')
})

test("the title of a project's page is the project's name, once it is read", () => {
  const id = "8daea3e6-768b-4934-b4f8-b5b957221c8c"
  expect(title({ _tag: "Project", id })).toBe(`Project ${id}`)
  expect(title({ _tag: "Project", id }, "wallet")).toBe("Project wallet")
  expect(title({ _tag: "Tokens", id }, "wallet")).toBe("User tokens, project wallet")
})

test("an empty pool that runs nothing is not said to have run something", () => {
  const none = { refuted: 0, verified: 0 }
  expect(summaryOf(0, true, none)).toBe("The embedded pool holds what it is sent, and runs none of it.")
  expect(summaryOf(0, false, none)).toMatch(/^They wait for a block, or /u)
  expect(summaryOf(2, true, { refuted: 1, verified: 1 })).toBe("1 hold, 1 are refuted.")
})
