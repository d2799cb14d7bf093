/**
 * Writes a request as programs that work when they are pasted. They hold a placeholder instead of a key.
 */
import type { RpcQuestion } from "../chain/Proving.ts"
import * as ProgramParts from "../programs/ProgramParts.ts"
import type { MethodSet } from "./MethodForms.ts"

/** Returns the programs for a question to a network of the service at an origin. */
export const of = (
  kind: MethodSet,
  { method, params }: RpcQuestion,
  at: { readonly origin: string; readonly network: string; readonly trust?: string | undefined }
): ReadonlyArray<ProgramParts.Program> => {
  const url = `${at.origin}/${at.network}/v3/${ProgramParts.YOUR_KEY}`
  const call = `{ method: ${JSON.stringify(method)}, params: ${literal(params)} }`
  const curl = { name: "curl", text: ProgramParts.curl(url, { method, params }) }
  if (kind === "starknet") return [curl, { name: "Effect", text: plain(url, call) }]
  const viem = ProgramParts.viem(url, `JSON.stringify(await client.request(${call}))`)
  return [curl, { name: "Effect", text: proving(url, call, at.trust) }, viem]
}

/** Returns a program that proves the answer with the packages of this repository. */
const proving = (url: string, call: string, trust: string | undefined): string => {
  const hash = trust?.startsWith("0x") === true ? trust : undefined
  return `${hash === undefined ? "" : `import { Hash32 } from "@plumbline/codec"\n`}import { TrustedBlock } from "@plumbline/eth-methods"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { ProvingNode } from "@plumbline/provider"
import { Effect, Layer } from "effect"

const node = ${ProgramParts.transport(url)}
const trust = ${hash === undefined ? "TrustedBlock.layerNone() // or layerPinned, with the hash of a block that you trust" : `TrustedBlock.layerPinned(Hash32.fromHexUnsafe("${hash}"))`}
const proving = ProvingNode.layer({ unprovable: "mark" }).pipe(Layer.provide([node, trust]))

const ask = ProvingNode.ProvingNode.use((node) =>
  node.answer(${indented(call)})
)
const { result, verdict } = await Effect.runPromise(Effect.provide(ask, proving))
console.log(verdict._tag, JSON.stringify(result))`
}

/** Returns a program that does not verify the node's answer. */
const plain = (url: string, call: string): string => `import { HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"

const node = ${ProgramParts.transport(url)}
const ask = Transport.Transport.use((node) =>
  node.call(${indented(call)})
)
const result = await Effect.runPromise(Effect.provide(ask, node))
console.log(JSON.stringify(result))`

/** Writes a JSON value as JavaScript, on one line if it is short. */
const literal = (value: unknown): string => {
  const short = JSON.stringify(value)
  return short.length <= 60 ? short.replaceAll(",", ", ") : JSON.stringify(value, null, 2)
}

const indented = (text: string): string => text.replaceAll("\n", "\n  ")
