/**
 * A chain in the prepared state, for the tests of one file, and a node in front of it that tells the lies of a test.
 */
import { afterAll, beforeAll } from "@effect/vitest"
import { Anvil } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"

import * as LyingNode from "./LyingNode.ts"

/** Starts a node before the tests of a file. Returns a function that the tests call to get the node. */
export const lyingNode = (): (() => LyingNode.LyingNode) => {
  const scope = Scope.makeUnsafe()
  let node: LyingNode.LyingNode | undefined
  beforeAll(async () => {
    const anvil = await Effect.runPromise(Scope.provide(Anvil.make(), scope))
    node = await LyingNode.start(anvil.url)
  })
  afterAll(async () => {
    await node?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  return () => {
    if (node === undefined) throw new Error("the chain did not start")
    return node
  }
}
