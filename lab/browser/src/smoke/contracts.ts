/**
 * Encodes a call, and decodes bytes that a contract returned. Runs in the browser's realm, and from the packed packages
 * in a rehearsal.
 */
import { AbiFunction, AbiParameters, AbiSignature, AbiText } from "@plumbline/contracts"
import * as Result from "effect/Result"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  const { item } = Result.getOrThrow(AbiSignature.parse("symbolOf(uint8)(string)"))
  const args = Result.getOrThrow(AbiText.read(item.inputs, ["7"]))
  const data = Result.getOrThrow(AbiFunction.encode(item, args))
  expectSame("the data of a call", data, `${AbiFunction.selector(item)}${"7".padStart(64, "0")}`)

  const word = (digits: string) => digits.padStart(64, "0")
  const returned = `0x${word("20")}${word("3")}${"414243".padEnd(64, "0")}` as const
  expectSame("a decoded text", Result.getOrThrow(AbiParameters.decode(item.outputs, returned))[0], "ABC")

  const cut = AbiParameters.decode(item.outputs, returned.slice(0, -2) as typeof returned)
  expectSame("cut bytes", Result.isFailure(cut) && cut.failure.fault, "OutOfData")
  return "a call encoded, its result decoded"
}
