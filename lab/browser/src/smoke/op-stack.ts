/** One call of each kind. Runs in the browser's realm, and from the packed packages in a rehearsal. */
import { OpStack } from "@plumbline/op-stack"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  expectSame("the size of a name", OpStack.sizeOfUnsafe("block"), 5)
  return "a name measured"
}
