/** The words of errors, and of titles. */
import { expect, test } from "vitest"

import * as ChainError from "../src/chain/ChainError.ts"
import { title } from "../src/route/Place.ts"

const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))

test("an unknown network is quoted, and all networks are listed", () => {
  const { message } = ChainError.noNetwork("settings", "blocks", named("live", "history"), named("starknet-pool"))
  expect(message).toBe('This service has no network "settings". It has live, history, starknet-pool.')
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
