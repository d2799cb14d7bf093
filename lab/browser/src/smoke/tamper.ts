/**
 * Tells a lie, and checks that other answers stay true. Runs in the browser's realm, and from the packed packages in a
 * rehearsal.
 */
import { Transport } from "@plumbline/jsonrpc-core"
import { Catalogue, Tamper } from "@plumbline/tamper"
import * as Effect from "effect/Effect"

import { expectSame } from "./expect.ts"

export const run = async (): Promise<string> => {
  const call: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x5")
  const told: Array<string> = []
  const lie = Catalogue.byName("balance")!
  const liar = Tamper.make(lie, { onTold: ({ method }) => told.push(method) })({
    call,
    callAll: Transport.oneByOne(call)
  })
  const ask = (method: string) => Effect.runPromise(liar.call({ method, params: [] }))
  expectSame("a lie", await ask("eth_getBalance"), "0xffffffffffffffffff")
  expectSame("the truth", await ask("eth_gasPrice"), "0x5")
  expectSame("lies told", told.join(), "eth_getBalance")
  return "a lie told, and the truth beside it"
}
