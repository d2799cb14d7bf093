/** Computes an output root, and finds a chain. Runs in the browser, and from the packed packages in a rehearsal. */
import { Hash32 } from "@plumbline/codec"
import { DisputeGame, OpStackChains, OutputRoot } from "@plumbline/op-stack"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  // block 16491349 of OP Sepolia
  const root = OutputRoot.of({
    stateRoot: Hash32.fromHexUnsafe("0xd49c08c005dec63adf4afa769f9dbf2f743da7b89013a2733b766ab8cea0ad02"),
    messagePasserRoot: Hash32.fromHexUnsafe("0xa24863cd20f2bdef1cd1e464594a7b82794da85abdcfb80da3bba930712f057e"),
    blockHash: Hash32.fromHexUnsafe("0x9f40c2787db52f33b14e16d63cb26f4fc3a96f9a18693400faaf3e1be5377d36")
  })
  expectSame("an output root", root, "0x6984e5ae4d025562c8a571949b985692d80e364ddab46d5c8af5b36a20f611d1")
  expectSame("a chain of the registry", OpStackChains.byId(10n)?.l1ChainId, 1n)
  expectSame("a type of games", DisputeGame.formOf(8), "fault")
  return "an output root computed"
}
